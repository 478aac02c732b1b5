package palio

import (
	"context"

	"google.golang.org/grpc/metadata"

	paliov1 "palio/gen/palio/v1"
)

// GetGame asks the server for a game and its cards as data. A failure is an *Error.
func GetGame(ctx context.Context, config Config, game string) (*paliov1.GetGameResponse, error) {
	conn, err := config.Dial()
	if err != nil {
		return nil, invalidConfig(err)
	}
	defer conn.Close()
	if token := config.withDefaults().Token; token != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token)
	}
	response, err := paliov1.NewCatalogServiceClient(conn).GetGame(ctx, &paliov1.GetGameRequest{Game: game})
	if err != nil {
		return nil, asError(err)
	}
	return response, nil
}

// catalogue asks for a game once.
func (c *Client) catalogue(ctx context.Context, game string) (*paliov1.Catalogue, error) {
	c.catalogueMu.Lock()
	defer c.catalogueMu.Unlock()
	if known := c.catalogues[game]; known != nil {
		return known, nil
	}
	response, err := GetGame(ctx, c.config, game)
	if err != nil {
		return nil, err
	}
	c.catalogues[game] = response.GetCatalogue()
	return response.GetCatalogue(), nil
}

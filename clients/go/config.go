package palio

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

// Version of this library.
const Version = "0.1.0"

// ProtocolVersion is the version of the protocol that this library speaks.
const ProtocolVersion = 1

const (
	defaultServer     = "localhost:7654"
	defaultConcurrent = 8
)

// Config says where and as whom to play. The zero value of a field means what its comment says.
type Config struct {
	// Server is host:port or unix:/path/sock. Default: PALIO_SERVER, else localhost:7654.
	Server string
	// Token says who the player is. Default: PALIO_TOKEN; may be empty on a server in open local mode.
	Token string
	// CA is the path of a PEM file with the roots that the server's certificate must come from; TLS is used when it is
	// set. Default: PALIO_CA.
	CA string
	// TLS is used with the system's roots. Default: whether PALIO_TLS is 1.
	TLS bool
	// Cert and Key are the paths of PEM files: the bot's own certificate and its key, for servers that ask for one.
	// Default: PALIO_CERT and PALIO_KEY.
	Cert, Key string
	// Name is a label, on a server in open local mode also the player's name. PALIO_BOT_NAME overrides it, so that one
	// program can play under several names. Default: the program's name.
	Name string
	// BotVersion is a label.
	BotVersion string
	// Games are the ids of the games that the bot plays; empty means all.
	Games []string
	// Concurrent is how many matches are played at the same time, at most. Default: 8.
	Concurrent int
	// Matches is after how many finished matches to leave; 0 means never.
	Matches int
	// GiveUpAfter is how long to try to open a session before Run fails. Default: 60 s.
	GiveUpAfter time.Duration
	// MinBackoff and MaxBackoff bound the waits between tries. Defaults: 0.1 s and 5 s.
	MinBackoff, MaxBackoff time.Duration
	// Logf reports what the bot's author should know. Default: lines on stderr.
	Logf func(format string, args ...any)
	// DialOptions are added to those of the connection.
	DialOptions []grpc.DialOption
}

// withDefaults fills in the environment and the defaults.
func (c Config) withDefaults() Config {
	c.Server = first(c.Server, os.Getenv("PALIO_SERVER"), defaultServer)
	c.Token = first(c.Token, os.Getenv("PALIO_TOKEN"))
	c.CA = first(c.CA, os.Getenv("PALIO_CA"))
	c.TLS = c.TLS || c.CA != "" || os.Getenv("PALIO_TLS") == "1"
	c.Cert = first(c.Cert, os.Getenv("PALIO_CERT"))
	c.Key = first(c.Key, os.Getenv("PALIO_KEY"))
	c.Name = first(os.Getenv("PALIO_BOT_NAME"), c.Name, filepath.Base(os.Args[0]))
	if c.Concurrent == 0 {
		c.Concurrent = defaultConcurrent
	}
	if c.GiveUpAfter == 0 {
		c.GiveUpAfter = 60 * time.Second
	}
	if c.MinBackoff == 0 {
		c.MinBackoff = 100 * time.Millisecond
	}
	if c.MaxBackoff == 0 {
		c.MaxBackoff = 5 * time.Second
	}
	if c.Logf == nil {
		c.Logf = func(format string, args ...any) { fmt.Fprintf(os.Stderr, "palio: "+format+"\n", args...) }
	}
	return c
}

func first(values ...string) string {
	for _, value := range values {
		if value != "" {
			return value
		}
	}
	return ""
}

// Dial opens a connection to the server for calls other than playing. It fails where CA, Cert or Key cannot be read.
func (c Config) Dial() (*grpc.ClientConn, error) {
	c = c.withDefaults()
	transport := insecure.NewCredentials()
	if c.TLS {
		var roots *x509.CertPool // nil stands for the system's
		if c.CA != "" {
			pem, err := os.ReadFile(c.CA)
			if err != nil {
				return nil, fmt.Errorf("PALIO_CA: %w", err)
			}
			if roots = x509.NewCertPool(); !roots.AppendCertsFromPEM(pem) {
				return nil, fmt.Errorf("PALIO_CA: %s holds no PEM certificate", c.CA)
			}
		}
		var own []tls.Certificate
		if c.Cert != "" || c.Key != "" {
			pair, err := tls.LoadX509KeyPair(c.Cert, c.Key)
			if err != nil {
				return nil, fmt.Errorf("PALIO_CERT and PALIO_KEY: %w", err)
			}
			own = append(own, pair)
		}
		transport = credentials.NewTLS(&tls.Config{RootCAs: roots, Certificates: own, MinVersion: tls.VersionTLS12})
	}
	options := append([]grpc.DialOption{grpc.WithTransportCredentials(transport)}, c.DialOptions...)
	return grpc.NewClient(c.Server, options...)
}

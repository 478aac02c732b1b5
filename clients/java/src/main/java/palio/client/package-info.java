/**
 * Connects bots to a Palio server. A bot is a function that says who plays a match: see {@link palio.client.Bot}, {@link
 * palio.client.Player} and the programs in {@code palio.bots}.
 */
package palio.client;

/** Judges the City of Fidelitas by the catalogue's data, and plays greedily. It needs no rules engine. */
export { Greedy } from "./greedy.js";
export { type City, cityOf, Judge, locationsOf } from "./missio.js";

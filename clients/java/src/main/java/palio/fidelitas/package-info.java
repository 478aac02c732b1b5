/** Judges the City of Fidelitas by the catalogue's data, and plays greedily. It needs no rules engine. */
package palio.fidelitas;

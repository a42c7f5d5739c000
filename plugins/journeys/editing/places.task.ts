import { stepsOfPointer } from '#engine';
import { type JsonFault, type Position, readSource } from './json-source.js';

export interface PlacesInput {
  readonly json: string;
  /** JSON pointers into the definition. */
  readonly paths: readonly string[];
}

export interface Places {
  readonly faults: readonly JsonFault[];
  /** By path; a path that does not exist has the position of its closest ancestor. */
  readonly positions: readonly Position[];
}

/** Finds the errors of a JSON text, and the positions of its parts. Off the main thread, because it parses the whole text. */
export default function placesTask({ json, paths }: PlacesInput): Places {
  const { faults, positionOf } = readSource(json);
  return { faults, positions: paths.map((path) => positionOf(stepsOfPointer(path))) };
}

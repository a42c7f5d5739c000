import { didYouMean as suggestion } from '#core/basics';

/** With the 500 listed errors, this bounds the work of all suggestions of a flow. */
const MOST_COMPARED = 200;

/** Returns `; did you mean 'label'?`, or an empty text. */
export const didYouMean = (name: string, known: Iterable<string>): string => suggestion(name, known, MOST_COMPARED);

import type { PlayedChannel, SeenMessage } from '#core/testing';

/** A thing that the contact did, and the messages that arrived then. */
export interface TalkStep {
  readonly did: 'write' | 'choose' | 'wait';
  /** The text, the option, or the time. */
  readonly said: string;
  readonly seen: readonly SeenMessage[];
}

/** A conversation on one channel. */
export interface Talk {
  readonly steps: readonly TalkStep[];
  /** Why it ended before its last step. */
  readonly problem?: string;
}

/** A change of a conversation by its channel. */
export interface Difference {
  /** The position of the step, from 0. */
  readonly step: number;
  readonly what: string;
}

/** How the conversation on a channel compares with that on the first one. */
export interface Comparison {
  /** Words, options or files are missing or others, or the conversation ended early. */
  readonly problems: readonly Difference[];
  /** Differences that the channel cannot avoid: numbers instead of buttons, more words, a link instead of a file. */
  readonly notes: readonly string[];
}

/** A text without what channels may spell otherwise: spaces, and the typographic characters that the alphabet of SMS does not have. */
export const comparable = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/[‘’‚′]/g, "'")
    .replace(/[“”„″«»]/g, '"')
    .replace(/[‐-―]/g, '-')
    .replace(/\s+/g, ' ')
    .trim();

/** Compares a conversation with that on the first channel. A channel may add words, such as how to choose; it may not lose or change any. */
export function compareTalks(first: Talk, other: Talk, chosenBy: PlayedChannel['chosenBy']): Comparison {
  const problems: Difference[] = [];
  const added = new Set<string>();
  let links = 0;
  for (const [step, wanted] of first.steps.entries()) {
    const found = other.steps[step];
    if (!found) break;
    const note = (what: string): void => void problems.push({ step, what });
    const { missing, more } = wordsOf(textIn(wanted), textIn(found));
    if (missing !== undefined) note(`the text is another one, from '${missing}' on`);
    else if (more !== '') added.add(more);
    const [options, offered] = [optionsIn(wanted), optionsIn(found)];
    if (options.join('\n') !== offered.join('\n'))
      note(`the options are ${offered.join(', ') || 'none'}, not ${options.join(', ') || 'none'}`);
    const [files, sent] = [filesIn(wanted), filesIn(found)];
    if (sent.length < files.length) note(`${files.length - sent.length} of ${files.length} files did not arrive`);
    links += sent.filter((one) => one === 'link').length;
  }
  if (other.problem !== undefined) problems.push({ step: other.steps.length, what: other.problem });
  const notes = [
    ...(chosenBy === 'numbers' && first.steps.some((one) => optionsIn(one).length > 0) ? ['numbers instead of buttons'] : []),
    ...(links > 0 ? ['links instead of files'] : []),
    ...[...added].map((words) => `adds '${words}'`),
  ];
  return { problems, notes };
}

const textIn = ({ seen }: TalkStep): string => comparable(seen.map(({ text }) => text).join(' '));
const optionsIn = ({ seen }: TalkStep): string[] => seen.flatMap(({ options }: SeenMessage) => options.map(comparable));
const filesIn = ({ seen }: TalkStep): string[] => seen.flatMap(({ file }) => file ?? []);

const SHOWN_WORDS = 8;

/** Whether a text has all words of another in their order: the words that are missing, or those that it has more. */
function wordsOf(wanted: string, found: string): { readonly missing?: string; readonly more: string } {
  const words = wanted.split(' ');
  const more: string[] = [];
  let at = 0;
  for (const word of found.split(' ')) {
    if (word === words[at]) at++;
    else more.push(word);
  }
  const isWhole = at >= words.length || wanted === '';
  return { more: more.join(' '), ...(!isWhole && { missing: words.slice(at, at + SHOWN_WORDS).join(' ') }) };
}

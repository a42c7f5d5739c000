import type { Expression } from './expression.js';
import type { Reading } from './reading.js';
import type { TriggerNode } from './syntax.js';
import { contentOf } from './texts.js';
import { triggerKinds, triggerOptions } from './words.js';

const INTERVAL = /^[+-]\d{1,6}[mhdw]$/;
const SECONDS = 'a positive whole number of seconds';

/** Parses `trigger(…) when …`. */
export function readTrigger(reading: Reading, i: number): TriggerNode | undefined {
  const { tokens } = reading;
  const options = optionsOf(reading, i);
  if (!options) return undefined;
  const stringArgument = (name: string): string | undefined => {
    const at = options.get(name);
    return at !== undefined && tokens.kinds[at] === 'text' ? contentOf(tokens, at) : undefined;
  };
  const [on, interval, relativeTo] = triggerOptions.map(stringArgument);
  const wrong = (at: number, expected: string): void => reading.error('invalid_trigger', at, `${expected} expected`, { expected });
  const isMistaken = options.size === 0 && tokens.parts(i + 1).length > 0;
  if (!options.has('on') && !options.has('interval') && !isMistaken) wrong(i, 'on: or interval:');
  else if (options.has('on') && options.has('interval')) wrong(i, 'either on: or interval:');
  else if (options.has('interval') && !options.has('relative_to')) wrong(i, 'relative_to:');
  if (interval !== undefined && !INTERVAL.test(interval)) wrong(options.get('interval')!, 'an interval such as "+3m" or "-2d"');
  if (on !== undefined && !(triggerKinds as readonly string[]).includes(on)) {
    const at = options.get('on')!;
    const hint = { expected: triggerKinds.join(', '), nearest: reading.findings.nearest(on, triggerKinds) };
    reading.findings.warning('unknown_trigger', tokens.starts[at]!, tokens.ends[at]!, `nothing is known that happens as '${on}'`, hint);
  }
  if (interval !== undefined && relativeTo !== undefined) {
    const at = options.get('interval')!;
    reading.findings.warning(
      'interval_trigger',
      tokens.starts[at]!,
      tokens.ends[at]!,
      'a trigger with an interval does not start the journey yet',
    );
  }
  const when = tokens.kinds[reading.at] === 'when' ? guard(reading, reading.at) : undefined;
  return { on, interval, relativeTo, when, start: tokens.starts[i]!, end: tokens.ends[reading.at - 1]! };
}

/** Value tokens by option; undefined when the brackets are unclosed. */
function optionsOf(reading: Reading, i: number): Map<string, number> | undefined {
  const { tokens } = reading;
  if (!isClosed(reading, i)) return undefined;
  const options = new Map<string, number>();
  for (const { from, to } of tokens.parts(i + 1)) {
    const name = tokens.textOf(from);
    const isKnown = tokens.kinds[from] === 'keyword' && (triggerOptions as readonly string[]).includes(name);
    const hint = { expected: 'on: or interval:', nearest: reading.findings.nearest(name, triggerOptions) };
    if (!isKnown) reading.unexpected('invalid_trigger', from, 'on:, interval: or relative_to: expected', hint);
    else if (to !== from + 2 || tokens.kinds[from + 1] !== 'text')
      reading.unexpected('invalid_trigger', from + 1, `a text in quotes expected behind '${name}:'`, { expected: 'a text' });
    if (isKnown) options.set(name, from + 1);
  }
  return options;
}

/** Moves behind the brackets of a call, or recovers at the next declaration when they are unclosed. */
function isClosed(reading: Reading, i: number): boolean {
  const close = reading.tokens.matches[i + 1]!;
  if (close < 0) reading.expressions.unclosed(i + 1);
  reading.at = close < 0 ? i + 1 : close + 1;
  if (close < 0) reading.skipToTop();
  return close >= 0;
}

function guard(reading: Reading, at: number): Expression | undefined {
  const when = reading.expressions.read(at + 1, reading.fenceFrom(at + 1));
  reading.at = reading.expressions.at;
  if (!when) reading.skipToTop();
  return when;
}

/** Parses `interaction_timeout(seconds)`. */
export function readTimeout(reading: Reading, i: number, isFirst: boolean): number | undefined {
  const { tokens } = reading;
  if (!isClosed(reading, i)) return undefined;
  const isNumber = reading.at === i + 4 && tokens.kinds[i + 2] === 'number';
  const seconds = isNumber ? Number(tokens.textOf(i + 2).replaceAll('_', '')) : 0;
  const isTime = Number.isSafeInteger(seconds) && seconds > 0;
  if (!isTime) reading.error('invalid_timeout', i + 2, `${SECONDS} expected`, { expected: SECONDS });
  else if (!isFirst) reading.error('invalid_timeout', i, 'interaction_timeout is given twice');
  return isTime && isFirst ? seconds : undefined;
}

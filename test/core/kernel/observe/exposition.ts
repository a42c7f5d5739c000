/** A metric family, parsed strictly by the exposition format 0.0.4. */
export interface Family {
  readonly type: string;
  readonly help: string;
  readonly samples: { readonly name: string; readonly labels: Record<string, string>; readonly value: number }[];
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABEL = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\[\\\\"n])*"';
const sampleLine = new RegExp(`^(${NAME})(?:\\{(${LABEL}(?:,${LABEL})*)?\\})? (\\S+)$`);

/** Parses the text of metrics. @throws Error when a line breaks a rule or a histogram is inconsistent */
export function readExposition(text: string): Map<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  const families = new Map<string, Family>();
  let current: { name: string; family: Family } | undefined;
  let help: { name: string; text: string } | undefined;
  for (const line of text.split('\n')) {
    const [, keyword, name, rest] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (line === '') continue;
    if (keyword === 'HELP') {
      if (families.has(name!)) throw new Error(`${name} comes twice`);
      help = { name: name!, text: rest! };
    } else if (keyword === 'TYPE') {
      if (help?.name !== name) throw new Error(`${name} has no help`);
      if (!/^(counter|gauge|histogram|summary|untyped)$/.test(rest!)) throw new Error(`${rest} is no type`);
      current = { name: name!, family: { type: rest!, help: help!.text, samples: [] } };
      families.set(name!, current.family);
    } else {
      current!.family.samples.push(sampleOf(line, current!));
    }
  }
  for (const [name, family] of families) if (family.type === 'histogram') checkHistogram(name, family);
  return families;
}

function sampleOf(line: string, { name, family }: { name: string; family: Family }): Family['samples'][number] {
  const [whole, sample, labels = '', value] = sampleLine.exec(line) ?? [];
  if (!whole) throw new Error(`this is no sample: ${line}`);
  const suffixes = family.type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
  if (!suffixes.some((suffix) => sample === `${name}${suffix}`)) throw new Error(`${sample} is not of ${name}`);
  if (family.type === 'counter' && !name.endsWith('_total')) throw new Error(`the counter ${name} does not end with _total`);
  const number = value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value);
  if (Number.isNaN(number)) throw new Error(`${value} is no value`);
  const read = [...labels.matchAll(/([a-zA-Z0-9_]+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, text]) => [label!, unescaped(text!)]);
  return { name: sample!, labels: Object.fromEntries(read), value: number };
}

const unescaped = (text: string): string => text.replace(/\\(.)/g, (_, letter: string) => (letter === 'n' ? '\n' : letter));

/** Buckets are cumulative, and the last one equals the count. */
function checkHistogram(name: string, { samples }: Family): void {
  const series = new Map<string, { le: number; value: number }[]>();
  const keyOf = ({ le: _, ...labels }: Record<string, string>) => JSON.stringify(labels);
  for (const { name: sample, labels, value } of samples) {
    if (sample !== `${name}_bucket`) continue;
    const le = labels.le === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels.le);
    series.set(keyOf(labels), [...(series.get(keyOf(labels)) ?? []), { le, value }]);
  }
  for (const [key, buckets] of series) {
    for (let i = 1; i < buckets.length; i++) {
      if (buckets[i]!.le <= buckets[i - 1]!.le || buckets[i]!.value < buckets[i - 1]!.value)
        throw new Error(`the buckets of ${name} do not grow`);
    }
    const count = samples.find(({ name: sample, labels }) => sample === `${name}_count` && keyOf(labels) === key);
    if (buckets.at(-1)!.le !== Number.POSITIVE_INFINITY || buckets.at(-1)!.value !== count?.value)
      throw new Error(`the last bucket of ${name} does not hold all`);
  }
}

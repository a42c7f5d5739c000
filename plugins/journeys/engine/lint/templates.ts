import { type Block, type Flow, isObject, listAt, objectAt, textAt } from '../compile.js';
import type { Problems } from '../problems.js';
import type { CheckedChannel } from './channel.js';
import type { AssetLookup } from './references.js';

/** In notebooks a config has expressions: only a quoted word is known before a run. */
const QUOTED = /^\s*(["'])(\w*)\1\s*$/;

/**
 * Reports a template that the number does not have, not in this language, or with another number of parameters. Skips names and
 * languages that are computed at run time.
 */
export function checkTemplate(
  { type, name: block, config }: Block,
  { resources }: Flow,
  path: string,
  hasAsset: AssetLookup,
  channel: CheckedChannel,
  problems: Problems,
): void {
  const isNotebook = type === 'Io.Turn.WhatsAppTemplateMessage';
  if (!isNotebook && type !== 'Svc.Template') return;
  const template = objectAt(config, 'template');
  const written = (source: string): string | undefined =>
    isNotebook ? QUOTED.exec(source)?.[2] : source.includes('@') || resources.has(source) ? undefined : source;
  const name = written(textAt(template, 'name'));
  const language = written(textAt(objectAt(template, 'language'), 'code')) || undefined;
  const at = `${path}.config.template`;
  const missing = (message: string): void =>
    problems.add(isNotebook ? 'warning' : 'error', 'missing_template', `${at}.name`, message, block);
  if (name === '') missing('the template is missing');
  const known = name === undefined || name === '' ? undefined : hasAsset('template', name);
  const named = `the template '${name?.slice(0, 60)}'`;
  if (known === false) missing(`${named} does not exist`);
  if (typeof known !== 'object') return;
  const inLanguage = known.filter((one) => language === undefined || one.language === language);
  if (inLanguage.length === 0)
    missing(`${named} does not exist in language '${language}', only in ${known.map((one) => one.language).join(', ')}`);
  const sent = listAt(template, 'components').filter(isObject);
  for (const component of ['header', 'body'] as const) {
    const given = listAt(sent.find(({ type }) => String(type).toLowerCase() === component) ?? {}, 'parameters').length;
    const wanted = inLanguage.map((one) => one[component]);
    if (wanted.length === 0 || wanted.includes(given)) continue;
    const message = `the ${component} of ${named} has ${countOf(wanted[0]!)}, but this message has ${given}`;
    problems.add(channel.severity, 'template_parameters_wrong', `${at}.components`, message, block);
  }
}

const countOf = (count: number): string => `${count} parameter${count === 1 ? '' : 's'}`;

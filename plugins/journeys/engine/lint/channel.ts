import { acceptsType, type ChannelCapabilities, type Json, type MessageLimits, NETWORK_CAPABILITIES } from '#core/basics';
import { dynamicSelectOne } from '../blocks/dynamic-select-one.js';
import { flowMessage } from '../blocks/flow-message.js';
import { blockTypes } from '../blocks/index.js';
import { selectOneResponse } from '../blocks/select-one-response.js';
import { type Block, type Flow, isObject, listAt, objectAt, textAt } from '../compile.js';
import { mimeTypeOf } from '../message-turns.js';
import type { Problems } from '../problems.js';
import { renderedValue } from '../resources.js';
import type { Severity } from './codes.js';

/** The channel that a journey is checked for, and whether a message that it would refuse prevents publishing. */
export interface CheckedChannel extends Pick<ChannelCapabilities, 'limits' | 'files'> {
  readonly severity: Severity;
}

/** For lint without a platform: the journey may run on the network, or on a channel with other limits. */
export const unknownChannel: CheckedChannel = { ...NETWORK_CAPABILITIES, severity: 'warning' };

/**
 * Reports written texts and files that the channel would refuse. Long labels, long texts beside buttons and long captions are not
 * among them: the engine shortens labels, and sends long texts as messages of their own.
 */
export function checkChannel(block: Block, flow: Flow, path: string, channel: CheckedChannel, problems: Problems): void {
  const { config } = block;
  const type = blockTypes.get(block.type);
  const [isForm, isChoice] = [type === flowMessage, type === selectOneResponse || type === dynamicSelectOne];
  const { limits = {}, files = {} } = channel;
  const report = (inside: string, message: string): void =>
    problems.add(channel.severity, 'over_network_limit', `${path}.config.${inside}`, message, block.name);
  const valuesOf = (uuid: Json | undefined) => (typeof uuid === 'string' ? (flow.resources.get(uuid)?.values ?? []) : []);
  const length = (inside: string, text: string, what: string, limit: keyof MessageLimits): void => {
    const [found, max] = [Array.from(text).length, limits[limit]];
    if (max !== undefined && found > max && !text.includes('@'))
      report(inside, `the ${what} has ${found} characters; the network refuses more than ${max}`);
  };
  const texts = (key: string, what: string, limit: keyof MessageLimits): void => {
    for (const { content_type, value } of valuesOf(config[key])) if (content_type === 'TEXT') length(key, value, what, limit);
  };

  if (isChoice || isForm) {
    const prompt = valuesOf(config.prompt ?? config.question_prompt);
    // A picture or film of the question takes the place of the header.
    if (!prompt.some(({ content_type }) => content_type === 'IMAGE' || content_type === 'VIDEO')) texts('header', 'header', 'header');
    texts('footer', 'footer', 'footer');
  }
  if (isForm) {
    texts(config.body === undefined ? 'prompt' : 'body', 'text of the form', 'body');
    length('flow.cta', textAt(objectAt(config, 'flow'), 'cta'), 'button of the form', 'flowCta');
  }
  if (isChoice && limits.sections !== undefined) {
    const problem = sectionFault(block);
    if (problem !== undefined) report('list.sections', problem);
  }
  for (const uuid of type?.resources?.(config) ?? []) {
    for (const value of valuesOf(uuid)) {
      const { kind, text, mimeType } = renderedValue(value, value.value);
      const accepted = kind === 'text' ? undefined : files[kind];
      if (kind === 'text' || !accepted || text.includes('@')) continue;
      const found = mimeTypeOf(kind, text, { declared: mimeType });
      const key = Object.keys(config).find((name) => config[name] === uuid) ?? 'prompt';
      if (!acceptsType(accepted, found)) report(key, `the network refuses ${found} as ${kind}; it takes ${accepted.types.join(', ')}`);
    }
  }
}

/** A list of several sections needs a title for each. Choices that no section names are the last section, without a title. */
function sectionFault({ config }: Block): string | undefined {
  const sections = listAt(objectAt(config, 'list'), 'sections').filter(isObject);
  const untitled = sections.filter((section) => textAt(section, 'title').trim() === '').length;
  const named = new Set<Json>(sections.flatMap((section) => listAt(section, 'choice_names')));
  const others = listAt(config, 'choices').filter((choice) => isObject(choice) && !named.has(choice.name ?? null));
  const count = sections.length + (others.length > 0 ? 1 : 0);
  if (count < 2 || (untitled === 0 && others.length === 0)) return undefined;
  return 'the network refuses a list of several sections of which one has no title; give each a title, and name every choice in one';
}

import type { Input, Json, JsonObject, Turn } from '#core/basics';
import { asText, isObject, listAt, objectAt, textAt } from '../compile.js';
import { isExpression } from '../expression/check.js';
import type { BlockType, Report, Run } from './block-type.js';
import { indexOfLabel } from './choices.js';
import { renderedText, uuidsIn } from './config.js';
import { failedEffect } from './failed-effect.js';

/** How the strings of a config are read: as templates, or as expressions in the format of notebooks. */
interface Strings {
  readonly text: (run: Run, source: string) => string;
  readonly check: (report: Report, path: string, source: string) => void;
}

function templateBlock({ text, check }: Strings): BlockType {
  const filled = (run: Run, value: Json): Json => {
    if (typeof value === 'string') return text(run, value);
    if (Array.isArray(value)) return (value as readonly Json[]).map((item) => filled(run, item));
    return isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, key === 'type' ? item : filled(run, item)]))
      : value;
  };

  const identityOf = (run: Run) => {
    const template = objectAt(run.config, 'template');
    return { name: text(run, textAt(template, 'name')), code: text(run, textAt(objectAt(template, 'language'), 'code')) };
  };

  return {
    settings: {
      template: {
        name: 'any',
        namespace: 'any',
        language: { code: 'any', policy: 'any' },
        components: [{ type: 'any', sub_type: 'any', index: 'any', parameters: 'any' }],
        tracking: 'ignored',
      },
      buttons: 'any',
      wait_for_input: 'any',
    },

    enter(run) {
      const { name, code } = identityOf(run);
      if (name === '' || code === '') {
        return { kind: 'fail', code: 'incomplete_template', reason: 'template.name or template.language.code is empty; set both' };
      }
      return { kind: 'effect', effect: { kind: 'template', name, language: code } };
    },

    performed(run, result) {
      if (result.kind !== 'template') return failedEffect(result);
      if (result.warning !== undefined) run.emit({ type: 'warning', expression: identityOf(run).name, reason: result.warning });
      const template = objectAt(run.config, 'template');
      const components = listAt(template, 'components').filter(isTyped);
      const namespace = textAt(template, 'namespace');
      const { name, code } = identityOf(run);
      const turn = {
        template: {
          name,
          ...(namespace !== '' && { namespace }),
          language: { code },
          ...(components.length > 0 && {
            components: components.map((component) => componentOf(component, (value) => filled(run, value))),
          }),
        },
      } as Turn;
      const waiting = waits(run.config);
      run.send([turn], { waiting, options: labelsOf(run) });
      if (!waiting) return { kind: 'continue' };
      run.setMemory(payloads(turn));
      return { kind: 'wait' };
    },

    answer(run, input) {
      const index = indexOfButton(run, input);
      if (index < 0)
        return run.config.wait_for_input === true && buttons(run.config).length === 0
          ? renderedTemplate(input)
          : { kind: 'invalid', reason: 'no_match' };
      const name = `template-btn-idx-${index}`;
      return { kind: 'continue', value: { __value__: name, name, index, label: input.reply?.title ?? input.text } };
    },

    waits,
    resources: (config) => uuidsIn(...listAt(config, 'buttons')),

    check({ config }, report) {
      const template = objectAt(config, 'template');
      const [name, code] = [textAt(template, 'name'), textAt(objectAt(template, 'language'), 'code')];
      if (name !== '') check(report, 'config.template.name', name);
      if (code === '') report.error('config.template.language.code', 'the language code is missing');
      else check(report, 'config.template.language.code', code);
      for (const [i, component] of listAt(template, 'components').entries()) {
        const path = `config.template.components[${i}]`;
        if (!isObject(component) || textAt(component, 'type') === '') report.error(path, 'a component must be an object with a type');
        else
          for (const [k, parameter] of listAt(component, 'parameters').entries()) {
            if (!isObject(parameter) || textAt(parameter, 'type') === '')
              report.error(`${path}.parameters[${k}]`, 'a parameter must be an object with a type');
            else if (typeof parameter.text === 'string') check(report, `${path}.parameters[${k}].text`, parameter.text);
          }
      }
      for (const [i, resource] of listAt(config, 'buttons').entries()) report.resource(`config.buttons[${i}]`, resource);
    },
  };
}

const renderedTemplate = ({ text }: Input) => ({ kind: 'continue', value: { __value__: text, response: text } }) as const;

function componentOf(component: JsonObject, filled: (value: Json) => Json): JsonObject {
  const { type = '', sub_type, index } = component;
  return {
    type,
    ...(sub_type !== undefined && { sub_type }),
    ...(index !== undefined && { index: asText(index) }),
    parameters: listAt(component, 'parameters').filter(isTyped).map(filled),
  };
}

const isTyped = (part: Json): part is JsonObject => isObject(part) && textAt(part, 'type') !== '';

const isButton = (component: Json): component is JsonObject =>
  isObject(component) &&
  String(component.type).toLowerCase() === 'button' &&
  String(component.sub_type ?? 'quick_reply').toLowerCase() === 'quick_reply';

const buttons = (config: JsonObject): readonly JsonObject[] => listAt(objectAt(config, 'template'), 'components').filter(isButton);

/** A template with buttons waits for an answer, unless `wait_for_input` is false. */
const waits = ({ wait_for_input, ...config }: JsonObject): boolean =>
  typeof wait_for_input === 'boolean' ? wait_for_input : buttons(config).length > 0 || listAt(config, 'buttons').length > 0;

/**
 * The labels of the buttons. Only the network knows them, unless the author repeats them in the config. If the author does, simulations
 * show the labels and typed answers match them.
 */
const labelsOf = (run: Run): readonly string[] => listAt(run.config, 'buttons').map((resource) => renderedText(run.resource(resource)));

function payloads(turn: Turn): Json {
  const components = 'template' in turn ? ((turn.template.components ?? []) as readonly JsonObject[]) : [];
  return components.filter(isButton).map((component, i) => {
    const [parameter] = listAt(component, 'parameters').filter(isObject);
    return [Number(asText(component.index) || i), asText(parameter?.payload ?? parameter?.text)];
  });
}

/** The index of the button that an answer matches, by its payload, label or `template-btn-idx-N` name; -1 for none. */
function indexOfButton(run: Run, { text, reply, message }: Input): number {
  const sentPayloads = (Array.isArray(run.memory) ? run.memory : []) as readonly (readonly [number, string])[];
  const candidates = [reply?.id, asText(objectAt(message, 'button').payload), text].filter((given) => given !== undefined && given !== '');
  const byPayload = sentPayloads.find(([, payload]) => payload !== '' && candidates.includes(payload));
  if (byPayload) return byPayload[0];
  const labels = listAt(run.config, 'buttons').map((resource) => run.label(resource));
  const byLabel = indexOfLabel(labels, text);
  if (byLabel >= 0) return byLabel;
  const named = /^template-btn-idx-(\d{1,2})$/.exec(reply?.id ?? text)?.[1];
  const index = named === undefined ? -1 : Number(named);
  return sentPayloads.some(([place]) => place === index) || index < labels.length ? index : -1;
}

/** Sends a message template that the network has approved. */
export const template = templateBlock({
  text: (run, source) => run.text(source),
  check: (report, path, source) => report.template(path, source),
});

const WORD = /^\w+$/;

/**
 * `Svc.Template` in the format of notebooks: every string is an expression, with literal text in quotes. A string that is not an expression
 * is read as a template.
 */
export const notebookTemplate = templateBlock({
  text: (run, source) => {
    const { value, warnings } = run.tryValue(source);
    return warnings.length > 0 || value === null ? run.text(source) : asText(value);
  },
  check(report, path, source) {
    // A single word is evaluated if a variable or context value has this name; otherwise it is literal text.
    if (WORD.test(source)) return;
    if (isExpression(source)) report.expression(path, source);
    else report.template(path, source);
  },
});

import type { Json } from '#core/basics';
import type { Report } from './blocks/block-type.js';
import { labelFault } from './blocks/choices.js';
import { checkReserved } from './blocks/config.js';
import { blockTypes } from './blocks/index.js';
import { type Settings, unreadIn } from './blocks/settings.js';
import { type Block, type Flow, isObject, objectAt } from './compile.js';
import { contactProperties } from './contact-properties.js';
import { expressionFaults, expressionRoots, isConstant, templateFaults, templateRoots } from './expression/check.js';
import type { CodeOf, Severity } from './lint/codes.js';
import { checkContactText } from './lint/contact-text.js';
import { unknownNames } from './lint/names.js';
import { checkTypeTests } from './lint/type-tests.js';
import type { Problems } from './problems.js';

const MAX_EXITS = 100;
const VARIABLE = /^[A-Za-z]\w*$/;

/**
 * Reports the problems of a block without running it. If `names` is given (the names that can have a value), also runs the
 * thorough checks of lint: unknown names, constant tests, unread settings.
 */
export function checkBlock(block: Block, flow: Flow, path: string, problems: Problems, names?: ReadonlySet<string>): void {
  const report = reportFor(block, flow, path, problems, names);
  checkReserved(block.name, 'name', report);
  if (!VARIABLE.test(block.name))
    report.warning('name', `expressions cannot refer to this block: '${block.name.slice(0, 40)}' is not a valid variable name`, 'odd_name');
  const type = blockTypes.get(block.type);
  if (!type) report.warning('type', `unknown block type ${block.type}; a run that reaches this block fails`, 'unknown_block_type');
  checkExits(block, flow, type?.picks?.(block.config) ?? [], report);
  if (names) checkTests(block, report);
  if (names) checkTypeTests(block, flow, report);
  if (names) checkContactText(block, flow, report);
  if (names && type) checkUnread(block, type.settings, report);
  checkSettings(block, report);
  type?.check?.(block, report);
}

function checkExits({ exits, type }: Block, { blocks }: Flow, picked: readonly string[], report: Report): void {
  if (exits.length > MAX_EXITS) report.error('exits', `this block has ${exits.length} exits; the maximum is ${MAX_EXITS}`, 'too_large');
  const defaults = exits.filter(({ isDefault }) => isDefault);
  if (defaults.length > 1) report.error('exits', `${defaults.length} exits are marked as default; only one can be`, 'several_defaults');
  if (defaults.length === 0 && type !== 'Core.Case') report.error('exits', 'this block has no default exit', 'no_default_exit');
  if (defaults.length === 0 && type === 'Core.Case' && !exits.some(({ test }) => test?.trim() === 'true')) {
    report.warning('exits', 'this block has no default exit; a run fails here when no test is true', 'no_default_exit');
  }
  if (defaults.length === 1 && exits.at(-1)?.isDefault === false && !exits.at(-1)?.semanticLabel) {
    report.warning('exits', 'the default exit is not the last exit', 'default_not_last');
  }
  for (const [i, { uuid, name, to, test, isDefault, semanticLabel }] of exits.entries()) {
    if (to !== null && !blocks.has(to))
      report.error(
        `exits[${i}].destination_block`,
        `this exit leads to block ${to.slice(0, 60)}, which is not in this flow`,
        'dangling_exit',
      );
    if (test !== undefined && !isDefault) report.expression(`exits[${i}].test`, test);
    if (test === undefined && !isDefault && !semanticLabel && !picked.includes(name) && !picked.includes(uuid))
      report.warning(`exits[${i}]`, 'this exit has no test, so it is never taken', 'exit_never_taken');
  }
}

function checkTests({ exits }: Block, report: Report): void {
  for (const [i, { test, isDefault }] of exits.entries()) {
    if (test === undefined || isDefault || test.trim().toLowerCase() === 'true' || !isConstant(test)) continue;
    report.warning(`exits[${i}].test`, 'this test has the same result in every conversation', 'constant_test');
  }
}

/** Warns about settings without effect: misspelt ones, and settings of the format that this engine does not read. */
function checkUnread({ type, config }: Block, settings: Settings, report: Report): void {
  for (const { path, key, isIgnored, others } of unreadIn(config, settings)) {
    if (isIgnored) report.warning(`config.${path}`, `the setting '${key}' has no effect`, 'ignored_key');
    else
      report.warning(`config.${path}`, `${type} has no setting '${key.slice(0, 60)}' here; it has ${others.join(', ')}`, 'unknown_setting');
  }
}

function checkSettings({ config, exits }: Block, report: Report): void {
  for (const [i, property] of contactProperties(config).entries()) {
    const path = `config.set_contact_property[${i}]`;
    if (!isObject(property) || typeof property.property_key !== 'string' || property.property_value === undefined) {
      report.error(path, 'this entry must be an object with property_key (a text) and property_value');
    } else if (typeof property.property_value === 'string') report.template(`${path}.property_value`, property.property_value);
  }
  const { message } = objectAt(config, 'on_invalid');
  if (message) report.resource('config.on_invalid.message', message);
  const hasSeconds = typeof objectAt(config, 'timeout').seconds === 'number';
  const hasTimeoutExit = exits.some(({ semanticLabel }) => semanticLabel === 'timeout');
  if (hasSeconds !== hasTimeoutExit)
    report.warning(
      'config.timeout',
      'only one half of the time-out is set: it needs config.timeout.seconds and an exit with semantic_label "timeout"',
      'half_a_timeout',
    );
}

function reportFor(block: Block, flow: Flow, path: string, problems: Problems, names: ReadonlySet<string> | undefined): Report {
  const add =
    <S extends Severity>(severity: S) =>
    (inside: string, message: string, code: CodeOf<S> = 'invalid_setting' as CodeOf<S>) =>
      problems.add(severity, code, `${path}.${inside}`, message, block.name);
  const [error, warning] = [add('error'), add('warning')];
  const resource = (inside: string, uuid: Json | undefined): void => {
    const found = typeof uuid === 'string' ? flow.resources.get(uuid) : undefined;
    if (!found)
      error(
        inside,
        typeof uuid === 'string' && uuid !== '' ? `resource ${uuid.slice(0, 60)} does not exist` : 'this must be the uuid of a resource',
        'missing_resource',
      );
    const missing = found ? flow.languages.filter(({ id }) => !found.values.some(({ language_id }) => language_id === id)) : [];
    for (const { id } of missing) warning(inside, `resource ${found?.uuid} has no value in language ${id}`, 'missing_translation');
  };
  const unknown = (inside: string, roots: readonly string[]): void => {
    if (!names) return;
    for (const root of unknownNames(roots, names))
      warning(inside, `'${root}' is not a block or variable of this flow, nor a name of the context`, 'unknown_name');
  };
  return {
    flow,
    error,
    warning,
    resource,
    label(inside, uuid, maxLength) {
      resource(inside, uuid);
      const values = typeof uuid === 'string' ? flow.resources.get(uuid)?.values : undefined;
      for (const { value } of values ?? []) {
        const fault = value.includes('@') ? undefined : labelFault(value, maxLength);
        if (fault) warning(inside, fault, 'label_too_long');
      }
    },
    expression(inside, source) {
      if (typeof source !== 'string') return error(inside, 'an expression must be a text', 'invalid_expression');
      for (const { severity, code, message } of expressionFaults(source)) add(severity)(inside, message, code);
      unknown(inside, expressionRoots(source));
    },
    template(inside, source) {
      if (typeof source !== 'string') return;
      for (const { severity, code, message } of templateFaults(source)) add(severity)(inside, message, code);
      unknown(inside, templateRoots(source));
    },
  };
}

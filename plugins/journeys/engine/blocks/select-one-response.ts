import { type Json, type JsonObject, NETWORK_LIMITS } from '#core/basics';
import { type Block, isObject, listAt, objectAt } from '../compile.js';
import type { BlockType, Report } from './block-type.js';
import { checkLabels, checkNames, choicesOf, choiceValue, indexOfChoice, labelled } from './choices.js';
import { checkFrame, renderedText, uuidsIn } from './config.js';
import { offer, presentationOf } from './offering.js';
import { CHOICES, LIST } from './settings.js';

/** Offers choices, as buttons or as a list, and waits until the contact chooses one. */
export const selectOneResponse: BlockType = {
  settings: { ...CHOICES, ...LIST },

  enter(run) {
    const prompt = run.resource(promptOf(run.config));
    const choices = labelled(choicesOf(run.config), (uuid) => renderedText(run.resource(uuid)));
    run.send(offer(run, prompt, choices), { waiting: true, options: choices.map(({ label }) => label) });
    return { kind: 'wait' };
  },

  answer(run, input) {
    const offered = choicesOf(run.config);
    const choices = labelled(offered, (uuid) => run.label(uuid));
    const index = indexOfChoice(choices, input, run);
    const choice = choices[index];
    if (!choice) return { kind: 'invalid', reason: 'no_match' };
    return { kind: 'continue', value: choiceValue(choice, index), isTyped: run.hasTypedLabel(offered[index]?.prompt) };
  },

  resources(config) {
    const choices = choicesOf(config).flatMap(({ prompt, description }) => [prompt, description]);
    return uuidsIn(promptOf(config), ...choices, config.header, config.footer, objectAt(config, 'list').button_label);
  },

  check,
};

const promptOf = (config: JsonObject) => config.prompt ?? config.question_prompt;

function check(block: Block, report: Report): void {
  const { config } = block;
  const choices = choicesOf(config);
  report.resource('config.prompt', promptOf(config));
  if (choices.length === 0) report.error('config.choices', 'the list of choices is empty', 'nothing_to_choose');
  if (choices.length > NETWORK_LIMITS.rows)
    report.error(
      'config.choices',
      `this block has ${choices.length} choices; a list shows at most ${NETWORK_LIMITS.rows}`,
      'too_many_choices',
    );
  const asButtons = presentationOf(block) === 'buttons';
  if (asButtons && choices.length > NETWORK_LIMITS.buttons) {
    report.error(
      'config.choices',
      `this block has ${choices.length} choices as buttons; a message shows at most ${NETWORK_LIMITS.buttons}`,
      'too_many_choices',
    );
  }
  const maxLength = asButtons ? NETWORK_LIMITS.buttonTitle : NETWORK_LIMITS.rowTitle;
  checkNames(choices, report);
  checkLabels(choices, report);
  for (const [i, { prompt, description, tests }] of choices.entries()) {
    report.label(`config.choices[${i}].prompt`, prompt, maxLength);
    if (description) report.label(`config.choices[${i}].description`, description, NETWORK_LIMITS.rowDescription);
    for (const test of tests) report.expression(`config.choices[${i}].test`, test);
  }
  const names = new Set<Json>(choices.map(({ name }) => name));
  for (const [i, section] of listAt(objectAt(config, 'list'), 'sections').entries()) {
    if (isObject(section)) report.template(`config.list.sections[${i}].title`, section.title);
    const unknown = isObject(section) ? listAt(section, 'choice_names').filter((name) => !names.has(name)) : [];
    for (const name of unknown)
      report.warning(
        `config.list.sections[${i}].choice_names`,
        `this section lists ${JSON.stringify(name).slice(0, 60)}, which is not the name of a choice`,
      );
  }
  const { button_label } = objectAt(config, 'list');
  if (button_label) report.label('config.list.button_label', button_label, NETWORK_LIMITS.listButton);
  checkFrame(block, report);
}

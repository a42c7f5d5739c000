import { declarations } from './declared.js';
import { section } from './plugin-reference.js';

const BLOCK_TYPE = 'plugins/journeys/engine/blocks/block-type';
const CONTRIBUTED = 'plugins/journeys/engine/blocks/contributed';
const EFFECT = 'plugins/journeys/engine/effect';
const EXTENSIONS = 'plugins/journeys/running/extensions';

/** The types for authors of blocks, functions and skills, by heading: file and name. `forms`: a union, of which each form is a row. */
const types: readonly (readonly [heading: string, file: string, type: string, forms?: 'forms'])[] = [
  ['A block type: the argument of `blockType`', CONTRIBUTED, 'BlockDeclaration'],
  ['A setting, in `settings`', CONTRIBUTED, 'BlockSetting'],
  ['`run`, as `enter`, `answer`, `elapsed` and `performed` get it', BLOCK_TYPE, 'Run'],
  ['Options of `run.send`', BLOCK_TYPE, 'SendOptions'],
  ['Outcomes, which these functions return', BLOCK_TYPE, 'Outcome', 'forms'],
  ['Effects, in the outcome `effect`', EFFECT, 'Effect', 'forms'],
  ['The result of an effect, as `performed` gets it, and a performer returns it', EFFECT, 'EffectResult', 'forms'],
  ['`report`, as `check` gets it', BLOCK_TYPE, 'Report'],
  ['A language: the default export of its module', 'plugins/journeys/engine/language', 'JourneyLanguage'],
  ['The argument of `extend`', EXTENSIONS, 'JourneyExtension'],
  ['A skill, in `skills`', EXTENSIONS, 'PluginSkill'],
  ['The second argument of a performer, in `effects`', 'plugins/journeys/running/performers', 'EffectContext'],
  ['The service: `context.service(journeysService)`', 'plugins/journeys/service', 'JourneysService'],
];

/** The members of the types with which plugins extend journeys. */
export function journeysReference(): string {
  const sections = types.map(([heading, file, type, forms]) =>
    section(heading, forms ? declarations().formsOf(file, type) : declarations().membersOf(file, type)!),
  );
  const parameters = declarations().parametersOf('plugins/journeys/engine/expression/functions/contributed', 'functionType');
  return [...sections, section('A function: the arguments of `functionType`', parameters)].join('\n\n');
}

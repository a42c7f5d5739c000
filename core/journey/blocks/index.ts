import type { BlockType } from './block-type.js';
import { caseBlock } from './case.js';
import { log } from './log.js';
import { message } from './message.js';
import { openResponse } from './open-response.js';
import { output } from './output.js';
import { runFlow } from './run-flow.js';
import { selectOneResponse } from './select-one-response.js';
import { setContactProperty } from './set-contact-property.js';

/** What each type of block does. A type that is not here fails when a run comes to it, and only then. */
export const blockTypes: ReadonlyMap<string, BlockType> = new Map([
  ['Core.Case', caseBlock],
  ['Core.Log', log],
  ['Core.Output', output],
  ['Core.RunFlow', runFlow],
  ['Core.SetContactProperty', setContactProperty],
  ['MobilePrimitives.Message', message],
  ['MobilePrimitives.OpenResponse', openResponse],
  ['MobilePrimitives.SelectOneResponse', selectOneResponse],
]);

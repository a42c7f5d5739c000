import { Table } from '../table.js';
import { aiAgent } from './ai-agent.js';
import type { BlockType } from './block-type.js';
import { caseBlock } from './case.js';
import { contentCard, sendContentMessage } from './content-card.js';
import { dynamicSelectOne } from './dynamic-select-one.js';
import { end } from './end.js';
import { flowMessage } from './flow-message.js';
import { handover } from './handover.js';
import { http } from './http.js';
import { label, notebookLabel } from './label.js';
import { locationResponse } from './location-response.js';
import { log } from './log.js';
import { media } from './media.js';
import { message } from './message.js';
import { notebookWebhook } from './notebook-webhook.js';
import { numericResponse } from './numeric-response.js';
import { openResponse } from './open-response.js';
import { output } from './output.js';
import { photoResponse } from './photo-response.js';
import { print } from './print.js';
import { random } from './random.js';
import { read } from './read.js';
import { runFlow } from './run-flow.js';
import { schedule, scheduleFlow } from './schedule.js';
import { selectManyResponses } from './select-many-responses.js';
import { selectOneResponse } from './select-one-response.js';
import { setContactProperty } from './set-contact-property.js';
import { setGroupMembership } from './set-group-membership.js';
import { setVariable } from './set-variable.js';
import { skill } from './skill.js';
import { notebookTemplate, template } from './template.js';
import { wait } from './wait.js';
import { webhook } from './webhook.js';

/**
 * The block types, keyed by their `type`. A run fails when it reaches a block of another type, and only then. Types of other vendors are
 * never
 * rewritten to our own, so that a container is exported exactly as it was imported.
 */
export const blockTypes = new Table<BlockType>([
  ['ConsoleIO.Print', print],
  ['ConsoleIO.Read', read],
  ['Core.Case', caseBlock],
  ['Core.Log', log],
  ['Core.Output', output],
  ['Core.RunFlow', runFlow],
  ['Core.SetContactProperty', setContactProperty],
  ['Core.SetGroupMembership', setGroupMembership],
  ['Core.Webhook', webhook],
  ['Io.Turn.DynamicSelectOneResponse', dynamicSelectOne],
  ['Io.Turn.ScheduleFlow', scheduleFlow],
  ['Io.Turn.SendContentMessage', sendContentMessage],
  ['Io.Turn.SetMessageProperty', notebookLabel],
  ['Io.Turn.Webhook', notebookWebhook],
  ['Io.Turn.WhatsAppTemplateMessage', notebookTemplate],
  ['MobilePrimitives.Message', message],
  ['MobilePrimitives.NumericResponse', numericResponse],
  ['MobilePrimitives.OpenResponse', openResponse],
  ['MobilePrimitives.SelectManyResponses', selectManyResponses],
  ['MobilePrimitives.SelectOneResponse', selectOneResponse],
  ['SmartDevices.LocationResponse', locationResponse],
  ['SmartDevices.PhotoResponse', photoResponse],
  ['Svc.AiAgent', aiAgent],
  ['Svc.ContentCard', contentCard],
  ['Svc.DynamicSelectOne', dynamicSelectOne],
  ['Svc.End', end],
  ['Svc.FlowMessage', flowMessage],
  ['Svc.Handover', handover],
  ['Svc.Http', http],
  ['Svc.Label', label],
  ['Svc.Media', media],
  ['Svc.Random', random],
  ['Svc.Schedule', schedule],
  ['Svc.SetVariable', setVariable],
  ['Svc.Skill', skill],
  ['Svc.Template', template],
  ['Svc.Wait', wait],
]);

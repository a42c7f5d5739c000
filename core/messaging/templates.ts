import { InvalidRequest, NotFound, PlatformError, printable } from '../errors.js';
import type { Clock } from '../ports/clock.js';
import type { Ids } from '../ports/ids.js';
import type { Database, Transaction } from '../ports/transaction.js';
import type { NumberRecord } from './number.js';
import {
  misplacedParameters,
  type NewTemplate,
  parametersOf,
  placeholdersOf,
  render,
  type SentTemplate,
  type TemplateRecord,
  templates,
} from './template.js';

/** The number has no such template in this language, or the template's `status` does not allow sending. */
export class TemplateNotFound extends PlatformError {
  constructor(name: string, language: string, status?: string) {
    const template = `template ${printable(name)} in language ${printable(language)}`;
    const message = status === undefined ? `This number has no ${template}` : `The ${template} may not be sent: its status is ${status}`;
    super(404, 'template_not_found', message);
  }
}

/** A message has more or fewer parameters than its template has placeholders. */
export class TemplateParametersWrong extends PlatformError {
  constructor(component: string, expected: number, given: number) {
    super(400, 'template_parameters_wrong', `The ${component} of the template has ${expected} parameters, but the message has ${given}`);
  }
}

/** The service for message templates. Placeholders are not the expressions of `plugins/journeys/engine`. */
export type Templates = ReturnType<typeof createTemplates>;

export function createTemplates({ store, ids, clock }: { store: Database; ids: Ids; clock: Clock }) {
  const records = store.open(templates);

  return {
    /** Lists the templates of a number, in order of name and language. */
    list: (number: string): Promise<TemplateRecord[]> => records.find('name', { equals: [number] }),

    /** Creates a template, or replaces the one with this name and language. */
    async put(tx: Transaction, number: NumberRecord, template: NewTemplate): Promise<TemplateRecord> {
      const known = await tx.in(templates).getBy('name', [number.uuid, template.name, template.language]);
      const now = clock.now().toISOString();
      const { namespace = '', category = 'UTILITY', status = 'APPROVED', ...rest } = template;
      const made: TemplateRecord = {
        ...rest,
        namespace,
        category,
        status,
        uuid: known?.uuid ?? ids.uuid(),
        number: number.uuid,
        created_at: known?.created_at ?? now,
        updated_at: now,
      };
      tx.in(templates).put(made);
      return made;
    },

    /** @throws NotFound */
    async delete(tx: Transaction, uuid: string): Promise<void> {
      if (!(await tx.in(templates).get(uuid))) throw new NotFound('template', uuid);
      tx.in(templates).delete(uuid);
    },

    /** Returns the template's text with its placeholders filled in; undefined if the template is unknown. */
    async rendered(tx: Transaction, number: NumberRecord, sent: SentTemplate): Promise<string | undefined> {
      const template = await tx.in(templates).getBy('name', [number.uuid, sent.name, sent.language.code]);
      return template && render(template, sent);
    },

    /** Checks a template message as the network would. @throws TemplateNotFound, TemplateParametersWrong, InvalidRequest */
    async check(tx: Transaction, number: NumberRecord, sent: SentTemplate): Promise<void> {
      const template = await tx.in(templates).getBy('name', [number.uuid, sent.name, sent.language.code]);
      if (!template) throw new TemplateNotFound(sent.name, sent.language.code);
      if (template.status !== 'APPROVED') {
        throw new TemplateNotFound(sent.name, sent.language.code, template.status);
      }
      for (const type of ['header', 'body'] as const) {
        const expected = placeholdersOf(template, type);
        const given = parametersOf(sent, type).length;
        if (expected !== given) throw new TemplateParametersWrong(type, expected, given);
      }
      const problems = misplacedParameters(template, sent);
      if (problems.length > 0) throw new InvalidRequest(problems);
    },
  };
}

import { selected } from './accounts.js';
import { presentFields } from './fields.js';
import type { GraphNodes, GraphRequest } from './graph.js';
import { GraphError } from './graph-error.js';
import type { Network } from './network.js';
import { pageOf } from './paging.js';
import type { StandInNumber } from './settings.js';

export type StandInTemplateStatus = 'APPROVED' | 'PENDING' | 'REJECTED' | 'PAUSED' | 'DISABLED';

/** A component of a template: its type in capitals, and its texts. */
export interface StandInTemplateComponent {
  readonly type: string;
  readonly format?: string;
  readonly text?: string;
  readonly [key: string]: unknown;
}

export interface StandInTemplate {
  readonly id: string;
  readonly wabaId: string;
  readonly name: string;
  readonly language: string;
  readonly category: string;
  readonly status: StandInTemplateStatus;
  readonly components: readonly StandInTemplateComponent[];
  readonly rejected_reason?: string;
}

/** The fields of a template that a test gives; the others have defaults. */
export interface NewStandInTemplate extends Partial<Omit<StandInTemplate, 'id'>> {
  readonly name: string;
}

interface SentComponent {
  readonly type?: string;
  readonly parameters?: readonly { readonly type?: string; readonly text?: string; readonly parameter_name?: string }[];
}

const DEFAULT_FIELDS = ['id', 'name', 'status', 'category', 'language', 'components'];
/** Templates that an account may have. */
const TEMPLATE_LIMIT = 250;
const LOCKED_MS = 30 * 24 * 60 * 60 * 1000;

/** `/{waba-id}/message_templates` and `/{template-id}`. */
export class Templates implements GraphNodes {
  readonly #network: Network;
  readonly #templates = new Map<string, StandInTemplate>();
  /** Names of deleted templates, and until when they cannot be used again. */
  readonly #locked = new Map<string, number>();

  constructor(network: Network) {
    this.#network = network;
  }

  has(id: string): boolean {
    return this.#templates.has(id);
  }

  /** Adds a template, approved if nothing else is given. */
  add(template: NewStandInTemplate): StandInTemplate {
    const defaults = { wabaId: this.#network.numbers[0]!.wabaId, language: 'en_US', category: 'UTILITY', status: 'APPROVED' as const };
    const made = { components: [{ type: 'BODY', text: 'Hello' }], ...defaults, ...template, id: this.#network.id() };
    this.#templates.set(made.id, made);
    return made;
  }

  /** Sets a status and emits the webhook: approval, rejection, a pause. */
  async changeStatus(id: string, status: StandInTemplateStatus, reason = 'NONE'): Promise<void> {
    const template = this.#templates.get(id);
    if (!template) throw new Error(`there is no template ${id}`);
    this.#templates.set(id, { ...template, status, ...(reason !== 'NONE' && { rejected_reason: reason }) });
    const { name, language, category, wabaId } = template;
    const value = {
      event: status,
      // A number here, and a text everywhere else.
      message_template_id: Number(id),
      message_template_name: name,
      message_template_language: language,
      message_template_category: category,
      reason,
    };
    await this.#network.webhooks.emit([{ wabaId, field: 'message_template_status_update', value }]);
  }

  async call(request: GraphRequest): Promise<unknown> {
    const { method, id, edge, query } = request;
    const template = this.#templates.get(id);
    if (template) {
      if (method === 'GET' && edge === '') return this.#shown(template, query);
      if (method !== 'POST' || (edge !== '' && edge !== 'unpause')) return undefined;
      const { components = template.components } = presentFields(await request.fields()) as Partial<StandInTemplate>;
      this.#templates.set(id, { ...template, components, status: edge === 'unpause' ? 'APPROVED' : 'PENDING' });
      return { success: true };
    }
    if (edge !== 'message_templates') return undefined;
    const own = [...this.#templates.values()].filter(({ wabaId }) => wabaId === id);
    if (method === 'GET') {
      const asked = query.get('name');
      const found = asked === null ? own : own.filter(({ name }) => name === asked);
      return { ...pageOf(found, query, (one) => this.#shown(one, query)), ...summaryOf(own.length, found.length, query) };
    }
    if (method === 'POST') return this.#create(id, presentFields(await request.fields()) as Partial<StandInTemplate>);
    return method === 'DELETE' ? this.#delete(own, query) : undefined;
  }

  /** Refuses templates that cannot be sent, and parameters that do not fit. @throws GraphError 132000, 132001, 132012, 132015, 132016 */
  check({ wabaId }: StandInNumber, { type, template: sent }: Readonly<Record<string, unknown>>): undefined {
    if (type !== 'template') return undefined;
    const { name, language, components = [] } = sent as { name: string; language: { code: string }; components?: readonly SentComponent[] };
    const all = [...this.#templates.values()];
    const template = all.find((one) => one.wabaId === wabaId && one.name === name && one.language === language.code);
    if (template?.status === 'PAUSED') throw new GraphError(132015, 'The template is paused due to low quality.');
    if (template?.status === 'DISABLED') throw new GraphError(132016, 'The template was paused too many times.');
    if (template?.status !== 'APPROVED') throw new GraphError(132001, `template name (${name}) does not exist in ${language.code}`);
    for (const kind of ['HEADER', 'BODY'] as const) {
      const component = template.components.find((one) => one.type.toUpperCase() === kind);
      const given = components.find((one) => one.type?.toUpperCase() === kind)?.parameters ?? [];
      const isMedia = kind === 'HEADER' && component?.format !== undefined && component.format.toUpperCase() !== 'TEXT';
      const expected = isMedia ? 1 : placeholdersIn(component?.text ?? '');
      const what = kind.toLowerCase();
      if (given.length !== expected) {
        throw new GraphError(
          132000,
          `${what}: number of localizable_params (${given.length}) does not match the expected number of params (${expected})`,
        );
      }
      const names = namesIn(component?.text ?? '');
      const isUnnamed = names.length > 0 && given.some(({ parameter_name: name }) => name === undefined || !names.includes(name));
      if (isUnnamed) throw new GraphError(100, 'Parameter name is missing or empty', { message: '(#100) Invalid parameter' });
      const isMisplaced = isMedia && given[0]!.type?.toUpperCase() !== component.format!.toUpperCase();
      if (isMisplaced) throw new GraphError(132012, `${what}: Format mismatch, expected ${component.format}, received ${given[0]!.type}`);
    }
    return undefined;
  }

  #create(wabaId: string, { name, language, category, components }: Partial<StandInTemplate>): unknown {
    if (typeof name !== 'string' || !/^[a-z0-9_]{1,512}$/.test(name)) throw invalid('The parameter name must have only a-z, 0-9 and _.');
    if (typeof language !== 'string') throw invalid('The parameter language is required.');
    if (!['MARKETING', 'UTILITY', 'AUTHENTICATION'].includes(String(category))) throw invalid('The parameter category is wrong.');
    if (!Array.isArray(components) || components.length === 0) throw invalid('The parameter components is required.');
    if (!components.every((one: unknown) => typeof Object(one).type === 'string'))
      throw invalid('Each of the components must have a type.');
    const isTaken = [...this.#templates.values()].some((one) => one.wabaId === wabaId && one.name === name && one.language === language);
    if (isTaken) throw refused('Content in this language already exists', `There is already ${language} content for ${name}.`, 2388024);
    if ((this.#locked.get(`${wabaId} ${name}`) ?? 0) > this.#network.clock.now().getTime()) {
      throw refused('Message template name is locked', `The name ${name} of a deleted template cannot be used for 30 days.`, 2388023);
    }
    const status = this.#network.switches.approvesTemplates ? 'APPROVED' : 'PENDING';
    const { id } = this.add({ wabaId, name, language, category: String(category), components, status });
    return { id, status, category };
  }

  #delete(own: readonly StandInTemplate[], query: URLSearchParams): unknown {
    const [name, id] = [query.get('name'), query.get('hsm_id')];
    const found = own.filter((one) => one.name === name && (id === null || one.id === id));
    if (found.length === 0) throw refused('Message template was not found', `There is no template ${name}.`, 2593002);
    for (const one of found) {
      this.#templates.delete(one.id);
      this.#locked.set(`${one.wabaId} ${one.name}`, this.#network.clock.now().getTime() + LOCKED_MS);
    }
    return { success: true };
  }

  #shown({ wabaId: _, ...template }: StandInTemplate, query: URLSearchParams): Record<string, unknown> {
    return selected({ rejected_reason: 'NONE', parameter_format: 'POSITIONAL', ...template }, query, DEFAULT_FIELDS);
  }
}

/** `?summary=total_count,…`: the counts that it names, or all of them. */
function summaryOf(all: number, found: number, query: URLSearchParams): { readonly summary?: object } {
  const asked = query.get('summary')?.split(/[\s,]+/);
  if (!asked) return {};
  const counts = {
    total_count: found,
    message_template_count: all,
    message_template_limit: TEMPLATE_LIMIT,
    are_translations_complete: true,
  };
  const named = Object.entries(counts).filter(([name]) => asked.includes(name));
  return { summary: named.length > 0 ? Object.fromEntries(named) : counts };
}

const placeholdersIn = (text: string): number => new Set([...text.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, name]) => name)).size;
/** Placeholders that are not numbers. */
const namesIn = (text: string): string[] => [...text.matchAll(/\{\{\s*([a-z_]\w*)\s*\}\}/g)].map(([, name]) => name!);
const invalid = (message: string): GraphError => new GraphError(100, undefined, { message: `(#100) ${message}` });
const refused = (userTitle: string, userMessage: string, subcode: number): GraphError =>
  new GraphError(100, undefined, { message: 'Invalid parameter', userTitle, userMessage, subcode, isTransient: false });

import type { RecordedCall, Reply } from '../scripted-http.js';
import type { StandInRule, StandInStatus } from './rules.js';
import type { StandInSwitches } from './settings.js';
import type { CloudApiStandIn } from './stand-in.js';
import type { NewStandInTemplate, StandInTemplateStatus } from './templates.js';

/** A route of the control surface: what it does with the JSON of the request, and the last segment of its path. */
interface ControlRoute {
  readonly path: RegExp;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly summary: string;
  // biome-ignore lint/suspicious/noExplicitAny: people write these bodies, and mistakes in them return 400
  run(standIn: CloudApiStandIn, body: any, id: string): unknown;
}

const routes: readonly ControlRoute[] = [
  {
    path: /^\/control\/webhook$/,
    method: 'POST',
    summary: 'subscribes a callback: {"url"}',
    run: async (standIn, { url, verify_token }) => ({
      subscribed: await standIn.subscribe(url, verify_token === undefined ? {} : { verifyToken: verify_token }),
    }),
  },
  {
    path: /^\/control\/messages$/,
    method: 'POST',
    summary: 'a contact writes: {"from", "text"} or {"from", "message": {"type", …}}',
    run: async (standIn, { from, text, message, to, reply_to }) => ({
      id: await standIn.write(from, text ?? message, { ...(to && { to }), ...(reply_to && { replyTo: reply_to }) }),
    }),
  },
  {
    path: /^\/control\/messages$/,
    method: 'GET',
    summary: 'lists the messages that were accepted',
    run: (standIn) => ({
      messages: standIn.sent.map(({ id, number, contact, body, statuses }) => ({
        id,
        from: number.address,
        to: contact.waId,
        body,
        statuses,
      })),
    }),
  },
  {
    path: /^\/control\/statuses$/,
    method: 'POST',
    summary: 'reports a status: {"id", "status", "error"?}',
    run: async (standIn, { id, status, error }) => {
      await standIn.status(id, status as StandInStatus, error === undefined ? {} : { error });
      return { success: true };
    },
  },
  {
    path: /^\/control\/rules$/,
    method: 'POST',
    summary: 'sets a fault rule: {"on", "times", "error" | "respond" | "connection", "holdMs", "statuses"}',
    run: (standIn, rule) => standIn.rule(rule as StandInRule),
  },
  { path: /^\/control\/rules$/, method: 'GET', summary: 'lists the fault rules', run: (standIn) => ({ rules: standIn.rules.list() }) },
  {
    path: /^\/control\/rules\/(\w+)$/,
    method: 'DELETE',
    summary: 'removes a fault rule',
    run: (standIn, _body, id) => ({ success: standIn.rules.remove(id) }),
  },
  {
    path: /^\/control\/switches$/,
    method: 'POST',
    summary: 'changes settings: {"closedWindow", "throttledStatus", …}',
    run: (standIn, switches) => {
      standIn.change(switches as Partial<StandInSwitches>);
      return { success: true };
    },
  },
  {
    path: /^\/control\/templates$/,
    method: 'POST',
    summary: 'adds an approved template: {"name", "language", "components"}',
    run: (standIn, template) => standIn.addTemplate(template as NewStandInTemplate),
  },
  {
    path: /^\/control\/templates\/(\d+)$/,
    method: 'POST',
    summary: 'changes the status of a template: {"status", "reason"?}',
    run: async (standIn, { status, reason }, id) => {
      await standIn.changeTemplateStatus(id, status as StandInTemplateStatus, reason);
      return { success: true };
    },
  },
];

/** The routes of the control surface, as lines for people. */
export const controlSummary: readonly string[] = routes.map(
  ({ method, path, summary }) => `${method} ${path.source.replace(/[\^$]|\\(?=\/)/g, '').replace(/\(.*\)/, '{id}')}  ${summary}`,
);

/** Answers calls of the control surface, which scripts a stand-in from outside its process. */
export async function answerControl(standIn: CloudApiStandIn, { method, text }: RecordedCall, path: string): Promise<Reply> {
  const route = routes.find((one) => one.method === method && one.path.test(path));
  if (!route) return { status: 404, body: { error: 'no such route', routes: controlSummary } };
  try {
    const body: unknown = text === '' ? {} : JSON.parse(text);
    return { body: await route.run(standIn, body, route.path.exec(path)?.[1] ?? '') };
  } catch (error) {
    // The person who scripts the stand-in reads the reason.
    return { status: 400, body: { error: error instanceof Error ? error.message : String(error) } };
  }
}

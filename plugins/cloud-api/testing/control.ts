import { object, type TypeOf } from '#core';
import type { RecordedCall, Reply } from '#core/testing';
import { callbackBody, messageBody, ruleBody, statusBody, switchesBody, templateBody, templateStatusBody } from './control-bodies.js';
import type { StandInRule } from './rules.js';
import type { StandInSwitches } from './settings.js';
import type { CloudApiStandIn } from './stand-in.js';
import type { NewStandInTemplate } from './templates.js';

/** A route of the control surface. */
interface ControlRoute {
  readonly path: RegExp;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly summary: string;
  readonly body: ReturnType<typeof object>;
  /** Receives a body that fits the schema, and the last segment of the path. */
  run(standIn: CloudApiStandIn, body: unknown, id: string): unknown;
}

const controlRoute = <B extends ReturnType<typeof object>>(
  route: Omit<ControlRoute, 'run' | 'body'> & { readonly body: B; run(standIn: CloudApiStandIn, body: TypeOf<B>, id: string): unknown },
): ControlRoute => route as ControlRoute;

const nothing = object({});

const routes: readonly ControlRoute[] = [
  controlRoute({
    path: /^\/control\/webhook$/,
    method: 'POST',
    summary: 'subscribes a callback: {"url"}',
    body: callbackBody,
    run: async (standIn, { url, verify_token }) => ({
      subscribed: await standIn.subscribe(url, verify_token === undefined ? {} : { verifyToken: verify_token }),
    }),
  }),
  controlRoute({
    path: /^\/control\/messages$/,
    method: 'POST',
    summary: 'a contact writes: {"from", "text"} or {"from", "message": {"type", …}}',
    body: messageBody,
    run: async (standIn, { from, text, message, to, reply_to }) => ({
      id: await standIn.write(from, text ?? message!, { ...(to && { to }), ...(reply_to && { replyTo: reply_to }) }),
    }),
  }),
  controlRoute({
    path: /^\/control\/messages$/,
    method: 'GET',
    summary: 'lists the messages that were accepted',
    body: nothing,
    run: (standIn) => ({
      messages: standIn.sent.map(({ id, number, contact, body, statuses }) => ({
        id,
        from: number.address,
        to: contact.waId,
        body,
        statuses,
      })),
    }),
  }),
  controlRoute({
    path: /^\/control\/statuses$/,
    method: 'POST',
    summary: 'reports a status: {"id", "status", "error"?}',
    body: statusBody,
    run: async (standIn, { id, status, error }) => {
      await standIn.status(id, status, error === undefined ? {} : { error: error as number });
      return { success: true };
    },
  }),
  controlRoute({
    path: /^\/control\/rules$/,
    method: 'POST',
    summary: 'sets a fault rule: {"on", "times", "error" | "respond" | "connection", "holdMs", "statuses"}',
    body: ruleBody,
    run: (standIn, rule) => standIn.rule(rule as StandInRule),
  }),
  controlRoute({
    path: /^\/control\/rules$/,
    method: 'GET',
    summary: 'lists the fault rules',
    body: nothing,
    run: (standIn) => ({ rules: standIn.rules.list() }),
  }),
  controlRoute({
    path: /^\/control\/rules\/(\w+)$/,
    method: 'DELETE',
    summary: 'removes a fault rule',
    body: nothing,
    run: (standIn, _body, id) => ({ success: standIn.rules.remove(id) }),
  }),
  controlRoute({
    path: /^\/control\/switches$/,
    method: 'POST',
    summary: 'changes settings: {"closedWindow", "throttledStatus", …}',
    body: switchesBody,
    run: (standIn, switches) => {
      standIn.change(switches as Partial<StandInSwitches>);
      return { success: true };
    },
  }),
  controlRoute({
    path: /^\/control\/templates$/,
    method: 'POST',
    summary: 'adds an approved template: {"name", "language", "components"}',
    body: templateBody,
    run: (standIn, template) => standIn.addTemplate(template as NewStandInTemplate),
  }),
  controlRoute({
    path: /^\/control\/templates\/(\d+)$/,
    method: 'POST',
    summary: 'changes the status of a template: {"status", "reason"?}',
    body: templateStatusBody,
    run: async (standIn, { status, reason }, id) => {
      await standIn.changeTemplateStatus(id, status, reason);
      return { success: true };
    },
  }),
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
    const { value: body, error } = route.body.validate(text === '' ? {} : JSON.parse(text), { convert: false });
    if (error) throw error;
    return { body: await route.run(standIn, body, route.path.exec(path)?.[1] ?? '') };
  } catch (error) {
    // The person who scripts the stand-in reads the reason.
    return { status: 400, body: { error: error instanceof Error ? error.message : String(error) } };
  }
}

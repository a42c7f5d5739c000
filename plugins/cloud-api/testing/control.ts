import { object } from '#core';
import { type ControlRoute, controlLines, controlRoutesOf } from '#core/testing';
import { callbackBody, messageBody, ruleBody, statusBody, switchesBody, templateBody, templateStatusBody } from './control-bodies.js';
import type { StandInRule } from './rules.js';
import type { StandInSwitches } from './settings.js';
import type { CloudApiStandIn } from './stand-in.js';
import type { NewStandInTemplate } from './templates.js';

const controlRoute = controlRoutesOf<CloudApiStandIn>();
const nothing = object({});

/** Routes that script the stand-in from outside its process. */
export const controlRoutes: readonly ControlRoute<CloudApiStandIn>[] = [
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
export const controlSummary: readonly string[] = controlLines(controlRoutes);

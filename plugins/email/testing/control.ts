import { anyString, array, integer, object, oneOf, record, string } from '#core';
import { type ControlRoute, controlLines, controlRoutesOf } from '#core/testing';
import type { EmailFault, WrittenMail } from './settings.js';
import type { EmailStandIn } from './stand-in.js';

/** Bodies refuse fields that they do not know, because people write them, and a misspelt field would change nothing. */
const controlRoute = controlRoutesOf<EmailStandIn>();
const nothing = object({});

const sentBy = ({ sent }: EmailStandIn, id: string) => {
  const mail = sent.find((one) => one.id === id);
  if (!mail) throw new Error(`no mail has the id ${id}`);
  return mail;
};

/** Routes that script the stand-in from outside its process. */
export const controlRoutes: readonly ControlRoute<EmailStandIn>[] = [
  controlRoute({
    path: /^\/control\/messages$/,
    method: 'POST',
    summary:
      'a person writes: {"from", "text", "subject"?, "reply_to"?: the id of a mail, "headers"?, "files"?: [{"type", "filename"?, "base64"}]}',
    body: object(
      { from: string(), text: anyString() },
      {
        ...{ id: string(), subject: string(), reply_to: string(), headers: record(anyString()) },
        files: array(object({ type: string(), base64: anyString() }, { filename: string() })),
      },
    ),
    async run(standIn, { from, text, reply_to: answered, files = [], ...more }) {
      const read = files.map(({ base64, ...file }) => ({ ...file, bytes: Buffer.from(base64, 'base64') }));
      const about = { ...more, files: read } as WrittenMail;
      return {
        id: await (answered === undefined ? standIn.write(from, text, about) : standIn.reply(sentBy(standIn, answered), text, about)),
      };
    },
  }),
  controlRoute({
    path: /^\/control\/messages$/,
    method: 'GET',
    summary: 'lists the mails that the server took',
    body: nothing,
    run: ({ sent }) => ({
      messages: sent.map(({ files, ...mail }) => ({ ...mail, files: files.map(({ type, filename }) => ({ type, filename })) })),
    }),
  }),
  controlRoute({
    path: /^\/control\/bounces$/,
    method: 'POST',
    summary: 'reports that a mail could not be delivered: {"id", "status"?, "action"?}',
    body: object({ id: string() }, { status: string(), action: oneOf('failed', 'delayed', 'delivered') }),
    async run(standIn, { id, status, action }) {
      await standIn.bounce(sentBy(standIn, id), { ...(status !== undefined && { status }), ...(action !== undefined && { action }) });
      return { success: true };
    },
  }),
  controlRoute({
    path: /^\/control\/delivery$/,
    method: 'POST',
    summary: 'delivers people\'s mails by SMTP to a port of this machine, or without one into the mailbox: {"port"?}',
    body: object({}, { port: integer().min(1).max(65_535) }),
    run(standIn, { port }) {
      standIn.deliverTo(port);
      return { success: true };
    },
  }),
  controlRoute({
    path: /^\/control\/faults$/,
    method: 'POST',
    summary: 'sets a fault rule: {"on", "times", "reply" | "connection" | "login"}',
    body: object(
      {},
      {
        on: object({}, { to: string(), contains: string() }),
        ...{ times: integer().min(1), skip: integer().min(0), login: oneOf('refused') },
        reply: object({ status: integer().min(400).max(599) }, { text: string() }),
        connection: oneOf('cut', 'cut after', 'silent'),
      },
    ).oxor('reply', 'connection', 'login'),
    run: (standIn, rule) => standIn.fault(rule as EmailFault),
  }),
  controlRoute({
    path: /^\/control\/faults$/,
    method: 'GET',
    summary: 'lists the fault rules',
    body: nothing,
    run: ({ faults }) => ({ faults: faults.list() }),
  }),
  controlRoute({
    path: /^\/control\/faults\/(\w+)$/,
    method: 'DELETE',
    summary: 'removes a fault rule',
    body: nothing,
    run: ({ faults }, _body, id) => ({ success: faults.remove(id) }),
  }),
];

/** The control routes, as lines for people. */
export const controlSummary: readonly string[] = controlLines(controlRoutes);

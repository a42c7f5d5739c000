import { type Answer, ManualClock, ScriptedHttp, type TestPlatform } from '#core/testing';
import { cloudApi, graphFlowOperator } from '../../../plugins/cloud-api/plugin.js';
import { cloudApiStandIn } from '../../../plugins/cloud-api/testing/index.js';
import type { FlowStatus } from '../../../plugins/flows/operator/flow-operator.js';
import { validateFlow } from '../../../plugins/flows/plugin.js';
import { PHONE_ID, SECRETS, WABA } from './cloud-under-test.js';

/**
 * Connects the number of a suite to a stand-in of the Cloud API instead of the local network, so that the tests of the API run unchanged.
 * The suites do this when `POSTHORN_CARRIER` is `cloud`.
 */
export async function cloudCarrier() {
  const clock = new ManualClock();
  const http = new ScriptedHttp({ clock });
  const numbers = [{ phoneNumberId: PHONE_ID, wabaId: WABA, address: '+27110000000' }];
  // The network's own validation differs from ours; here both are the same, so that the tests of flows find the errors they expect.
  const validate = (definition: Uint8Array) => validateFlow(definition).errors;
  const standIn = await cloudApiStandIn({
    ...{ clock, port: false, numbers, ...SECRETS },
    ...{ switches: { closedWindow: 'open' }, validateFlow: validate },
  });
  standIn.serve(http);
  const flowOperator = graphFlowOperator();
  return {
    ports: { clock, http },
    plugin: cloudApi({ graphUrl: standIn.url, closedWindow: 'send', flowOperator }),
    flowOperator,

    /** Connects the number, and registers its webhook. */
    async connect({ admin, server }: TestPlatform, uuid: string): Promise<void> {
      const { status, body } = await admin('PUT', `/cloud-api/numbers/${uuid}`, {
        ...{ phone_number_id: PHONE_ID, waba_id: WABA, access_token: SECRETS.accessToken },
        ...{ app_secret: SECRETS.appSecret, verify_token: SECRETS.verifyToken },
      });
      if (status !== 200) throw new Error(JSON.stringify(body));
      if (!(await standIn.subscribe(body.connection.webhook, { server }))) throw new Error('the webhook was not verified');
      await this.settle();
    },

    /** The account has a template on the network too, approved. */
    template: ({ name, language, components }: Parameters<typeof standIn.addTemplate>[0]) =>
      standIn.addTemplate({ name, ...(language && { language }), ...(components && { components }) }),

    /** The network changes the status of a flow because of the health of its endpoint. */
    async flowHealth(id: string, status: FlowStatus): Promise<void> {
      await standIn.changeFlowStatus(id, status);
      await this.settle();
    },

    /** The JSON at an address of the network that needs no token. */
    async download(url: string): Promise<unknown> {
      const outcome = await http.send({ method: 'GET', url, deadlineMs: 1_000, maxResponseBytes: 1e6 });
      if (outcome.kind !== 'response') throw new Error(outcome.kind);
      return JSON.parse(Buffer.from(outcome.body).toString('utf8'));
    },

    /** Runs what is due, so that the network has accepted what was sent. */
    async settle(): Promise<void> {
      await clock.advance(0);
      await standIn.idle();
      await clock.advance(0);
    },

    /** The phone writes, in the form of `POST /admin/v1/network/numbers/{uuid}/messages`. */
    async phone({ platform }: TestPlatform, number: string, sent: Record<string, unknown>): Promise<Answer> {
      const { from, name, type, id } = sent as { from: string; name: string; type: string; id?: string };
      const phone = from.replace(/\D/g, '');
      standIn.contact(phone, { name });
      const given = sent[type];
      const part = Array.isArray(given) ? given : { ...(given as Record<string, unknown>) };
      const content = await contentOf(platform, number, type, part as Record<string, unknown>);
      const context = contextOf(platform, sent.context as Record<string, unknown> | undefined);
      const errors = (sent.errors as readonly Record<string, unknown>[] | undefined)?.map(({ details, ...error }) => ({
        ...error,
        error_data: { details },
      }));
      const written = await standIn.write(phone, content.message, {
        ...(id !== undefined && { id }),
        ...(content.file && { file: content.file }),
        ...((await context) && { context: (await context)! }),
        fields: { ...(sent.timestamp !== undefined && { timestamp: sent.timestamp }), ...(errors && { errors }) },
      });
      await this.settle();
      const message = await platform.messages.known(number, 'inbound', written);
      return { status: message ? 201 : 500, body: { message, is_duplicate: false }, headers: {} };
    },
  };

  /** The content as the network has it: files with its own ids, voice notes as audio. */
  async function contentOf({ media, messages }: TestPlatform['platform'], number: string, type: string, part: Record<string, unknown>) {
    if (Array.isArray(part)) return { message: { type, [type]: part } };
    const { id, message_id: reacted, ...rest } = part;
    if (typeof reacted === 'string')
      return { message: { type, [type]: { ...rest, message_id: await idAtNetwork({ messages }, number, reacted) } } };
    const stored = typeof id === 'string' ? await media.get(id).catch(() => undefined) : undefined;
    if (!stored) return { message: { type, [type]: part } };
    const file = { bytes: stored.bytes, mimeType: stored.media.mime_type };
    return { message: type === 'voice' ? { type: 'audio', audio: { ...rest, voice: true } } : { type, [type]: rest }, file };
  }

  /** The context as the network has it: with the sender, and without marks that do not apply. */
  async function contextOf({ messages, numbers }: TestPlatform['platform'], given: Record<string, unknown> | undefined) {
    const [number] = (await numbers.list()).filter(({ type }) => type === 'cloud_api');
    const quoted = typeof given?.id === 'string' && number ? await messages.find(number, given.id) : undefined;
    const context = {
      ...(quoted && { id: await idAtNetwork({ messages }, quoted.number, quoted.external_id!), from: quoted.from.replace('+', '') }),
      ...(given?.forwarded === true && { forwarded: true }),
      ...(given?.frequently_forwarded === true && { frequently_forwarded: true }),
    };
    return Object.keys(context).length > 0 ? context : undefined;
  }

  async function idAtNetwork({ messages }: Pick<TestPlatform['platform'], 'messages'>, number: string, id: string): Promise<string> {
    const message = await messages.known(number, 'outbound', id);
    const sent = standIn.sent.find(
      ({ body }) => (body as { biz_opaque_callback_data?: string }).biz_opaque_callback_data === message?.uuid,
    );
    return sent?.id ?? id;
  }
}

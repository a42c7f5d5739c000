import { CommandFailed } from '../terminal/command-failed.js';
import { text } from '../terminal/flags.js';
import { standInCommand } from '../terminal/stand-in-command.js';

const cloudApi = standInCommand({
  name: 'cloud-api',
  network: 'the Cloud API',
  summary: 'plays the WhatsApp Business Cloud API on this machine',
  port: 4020,
  notes: [
    'Point the plugin cloud-api at it with graphUrl, or any other client of the Cloud API. Nothing leaves this machine.',
    'Its routes below /control let contacts write, report statuses, and set fault rules.',
    'Exit codes: 0 stopped, 1 the webhook did not answer with the challenge, 4 the port is in use.',
  ],
  flags: { callback: text('URL', 'subscribe this webhook') },
  async start(port) {
    const { cloudApiStandIn, controlSummary } = await import('../../plugins/cloud-api/testing/index.js');
    return { standIn: await cloudApiStandIn({ port, switches: { closedWindow: 'open', approvesTemplates: true } }), controlSummary };
  },
  async prepare(standIn, { callback }) {
    if (callback !== undefined && !(await standIn.subscribe(callback)))
      throw new CommandFailed(`${callback} did not answer with the challenge`);
  },
  shown({ accessToken, appSecret, verifyToken, numbers }) {
    const { address, phoneNumberId, wabaId } = numbers[0]!;
    return {
      json: { accessToken, appSecret, verifyToken, numbers },
      lines: [
        `number ${address}  phoneNumberId ${phoneNumberId}  wabaId ${wabaId}`,
        `accessToken ${accessToken}  appSecret ${appSecret}  verifyToken ${verifyToken}`,
      ],
    };
  },
});

// Commands are found by the names of their files.
export { cloudApi as 'cloud-api' };

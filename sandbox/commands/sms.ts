import { oneOf } from '../terminal/flags.js';
import { standInCommand } from '../terminal/stand-in-command.js';

export const sms = standInCommand({
  name: 'sms',
  network: 'an SMS gateway',
  summary: "plays the API of Twilio or Africa's Talking on this machine",
  port: 4040,
  notes: [
    'Point the plugin sms at it with base_url. Nothing leaves this machine.',
    'Set the callbacks of its number with POST /control/callbacks first. Its other routes below /control let people write, report, and set fault rules.',
    'Exit codes: 0 stopped, 4 the port is in use.',
  ],
  flags: { gateway: oneOf(['twilio', 'africas_talking'], 'whose API it has (default twilio)') },
  async start(port, { gateway }) {
    const { controlSummary, smsStandIn } = await import('../../plugins/sms/testing/index.js');
    const shape = gateway === 'africas_talking' ? gateway : 'twilio';
    const reports = shape === 'twilio' ? ['sent', 'delivered'] : ['Sent', 'Success'];
    return { standIn: await smsStandIn({ port, shape, reports }), controlSummary };
  },
  shown: ({ shape, account, token, sender }) => ({
    json: { gateway: shape, account, token, sender },
    lines: [`gateway ${shape}  sender ${sender}`, `account ${account}`, `token ${token}`],
  }),
});

import { ownCommand } from '../../core/own-command.js';

/** A text that a person chooses in the client, and with which the agent begins. */
interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly description: string; readonly required: boolean }[];
  text(given: Readonly<Record<string, string>>): string;
}

const DEFAULT_FOLDER = 'connector';

export const prompts: readonly Prompt[] = [
  {
    name: 'write_connector',
    title: 'Write a connector',
    description: 'Write a connector between a messaging service and Posthorn, and prove that it conforms.',
    arguments: [
      { name: 'service', description: 'The messaging service, such as Telegram or an SMS gateway.', required: true },
      { name: 'language', description: 'ts, python or go. Default: ts.', required: false },
      { name: 'folder', description: `The folder of the connector. Default: ${DEFAULT_FOLDER}.`, required: false },
    ],
    text: ({ service, language = 'ts', folder = DEFAULT_FOLDER }) =>
      [
        `Write a connector between ${service} and Posthorn in ${folder}.`,
        '1. Call start_sandbox, and read the resource posthorn://pages/plugins/channels/README.md.',
        `2. Run \`${ownCommand()} connector new ${folder} --lang ${language}\`: it writes a starter that passes all checks.`,
        `3. Replace its contact side by ${service}. Keep the signature check on the raw bytes of the body, and respond 2XX only when ${service} has accepted the message.`,
        '4. After each change, call run_conformance with kind "connector", the URL, and the secret, uuid and token of a channel that start_sandbox shows. Fix every failed MUST.',
        '5. Send messages with send_message. If nothing happens, call explain_why and list_advice.',
        'Finish when run_conformance reports no failed MUST, and show its summary.',
      ].join('\n'),
  },
  {
    name: 'debug_webhook',
    title: 'Find out why my webhook fails',
    description: 'Find the reason why deliveries to a webhook fail, and fix it.',
    arguments: [{ name: 'webhook', description: 'The uuid or the URL of the webhook. Default: every webhook.', required: false }],
    text: ({ webhook = 'any webhook' }) =>
      [
        `Find out why deliveries to ${webhook} fail.`,
        '1. Call start_sandbox, list_advice, and list_deliveries with state "retry_wait", then "dropped". Without a delivery, call explain_why: the message may never have reached the webhook.',
        '2. Call show_delivery for the newest failed one. Compare status, response, timing, and the steps of the signature.',
        '3. For a wrong signature, call verify_signature with the delivery and the signature that the receiver computed: it names the mistake and has code for the fix.',
        '4. State the cause in one sentence with its evidence before you change code.',
        '5. After the fix, call move_clock with action "next" so that the retry is sent now, and run_conformance with kind "webhook".',
        'Finish when the delivery is delivered.',
      ].join('\n'),
  },
  {
    name: 'conversation_to_test',
    title: 'Turn this conversation into a test',
    description: 'Write a conversation that took place as a test of its journey.',
    arguments: [
      { name: 'conversation', description: 'The uuid of the conversation. Default: the newest.', required: false },
      { name: 'file', description: 'The test file. Default: beside the journey.', required: false },
    ],
    text: ({ conversation, file }) =>
      [
        conversation === undefined
          ? 'Turn the newest conversation into a test. read_conversations lists conversations, newest first.'
          : `Turn the conversation ${conversation} into a test.`,
        '1. Call read_conversations with `conversation`, and say in one sentence what the contact achieved.',
        `2. Call record_test with \`conversation\` and file "${file ?? 'NAME.test.yaml'}"; if the journey is a file of this folder, also with \`journey\`. It replaces personal data, and says which.`,
        '3. Give the test a name that states the behaviour. Remove checks of texts that may change.',
        '4. Call run_tests with the file. Then break the journey on purpose, and check that the test fails; undo it.',
        'Finish when the test passes, and show it.',
      ].join('\n'),
  },
];

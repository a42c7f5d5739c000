import type { PlayedChannel } from '#core/testing';
import { playedCloudApi } from '../../../plugins/cloud-api/testing/index.js';
import { playedEmail } from '../../../plugins/email/testing/index.js';
import { playedSms } from '../../../plugins/sms/testing/index.js';
import { playedTelegram } from '../../../plugins/telegram/testing/index.js';
import { playedWebchat } from '../../../plugins/webchat/testing/index.js';
import { playedConnector } from './connector.js';
import { playedNetwork } from './network.js';

/** The channels on which conversations are played. The first one has everything, so the others are compared with it. */
export const playedChannels: readonly PlayedChannel[] = [
  playedNetwork,
  playedCloudApi,
  playedConnector,
  playedWebchat,
  playedTelegram,
  playedSms,
  playedEmail,
];

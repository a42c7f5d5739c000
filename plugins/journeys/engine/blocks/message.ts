import { messageTurns } from '../message-turns.js';
import type { BlockType } from './block-type.js';
import { renderedText, uuidsIn } from './config.js';
import { FRAME } from './settings.js';

/** Sends a message: text, or media with a text. */
export const message: BlockType = {
  settings: { ...FRAME, prompt: 'any' },

  enter(run) {
    const { prompt, header, footer } = run.config;
    run.send(messageTurns(run.resource(prompt), renderedText(run.resource(header)), renderedText(run.resource(footer))));
    return { kind: 'continue' };
  },
  resources: ({ prompt, header, footer }) => uuidsIn(prompt, header, footer),
  check({ config }, report) {
    report.resource('config.prompt', config.prompt);
    if (config.header) report.resource('config.header', config.header);
    if (config.footer) report.resource('config.footer', config.footer);
  },
};

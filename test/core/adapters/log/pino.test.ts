import pino from 'pino';
import t from 'tap';
import { createPlatform, type Logger } from '#core';
import { loggerContract } from '#core/testing';
import { loadSample } from '../../../pages/samples.js';

const LEVELS: Readonly<Record<number, string>> = pino.levels.labels;

t.test('the logger on the page on operations keeps the contract', async (t) => {
  const { pinoLogger, ports } = (await loadSample('core/kernel/README.md', 'ts', 'pino')) as {
    pinoLogger: (log: pino.Logger) => Logger;
    ports: { log: Logger };
  };
  await loggerContract(t, () => {
    let written = '';
    const stream = { write: (line: string) => (written += line) };
    const options = { level: 'debug', base: null, timestamp: false, serializers: { error: pino.stdSerializers.err } };
    return {
      log: pinoLogger(pino(options, stream)),
      lines: () =>
        written
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line))
          .map(({ level, msg, ...fields }) => ({ level: String(LEVELS[level]), message: msg, fields })),
    };
  });
  t.doesNotThrow(() => createPlatform({ plugins: [], ports }));
});

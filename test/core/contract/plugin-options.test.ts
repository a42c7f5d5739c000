import Joi from 'joi';
import t from 'tap';
import { createPlatform, definePlugin, type Plugin } from '#core';
import { InlinePool } from '#core/testing';

interface GreeterOptions {
  readonly name: string;
  readonly times?: number;
  readonly farewell?: string;
}

/** Logs a greeting when it is registered; `times` has a default, `farewell` has none. */
const greeter = (greetings: string[]) =>
  definePlugin<GreeterOptions, 'times'>({
    name: 'greeter',
    version: '1.0.0',
    options: Joi.object({ name: Joi.string().required(), times: Joi.number().default(2), farewell: Joi.string() }),
    register(_, { name, times, farewell }) {
      // Only the type of an option without a default includes undefined.
      const exact: number = times;
      // @ts-expect-error `farewell` may be absent
      const inexact: string = farewell;
      greetings.push(...Array.from({ length: exact }, () => `hello ${name}`), ...(inexact === undefined ? [] : [inexact]));
      return {};
    },
  });

const register = (plugin: Plugin): void => void createPlatform({ plugins: [plugin], ports: { workers: new InlinePool() } });

t.test('register receives the defaults of the schema, and its type says that they are present', async (t) => {
  const greetings: string[] = [];
  register(greeter(greetings)({ name: 'Ada' }));
  register(greeter(greetings)({ name: 'Ben', times: 1, farewell: 'bye' }));
  t.strictSame(greetings, ['hello Ada', 'hello Ada', 'hello Ben', 'bye']);
});

t.test('a required option is required by the type and by the schema', async (t) => {
  const message = `plugin 'greeter' failed at options: "name" is required`;
  // @ts-expect-error options are required if one of them is
  t.throws(() => register(greeter([])()), { message });
  // @ts-expect-error `name` is required
  t.throws(() => register(greeter([])({ times: 1 })), { message });
});

t.test('a plugin whose options are all optional is called without them', async (t) => {
  const received: object[] = [];
  const quiet = definePlugin<{ volume?: number }, 'volume'>({
    name: 'quiet',
    version: '1.0.0',
    options: Joi.object({ volume: Joi.number().default(0) }),
    register(_, options) {
      received.push(options);
      return {};
    },
  });
  register(quiet());
  t.strictSame(received, [{ volume: 0 }]);
});

// Imports tap without its async hooks, by which it attributes errors that a test does not await to that test. They run for each promise,
// which took 5 to 38 % of the CPU time of the suites measured. Instead, such an error ends the process: the file that runs fails.
import asyncHooks from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';

const { createHook } = asyncHooks;
const none = { enable: () => none, disable: () => none };

asyncHooks.createHook = () => none;
syncBuiltinESMExports();
await import('tap');
asyncHooks.createHook = createHook;
syncBuiltinESMExports();

for (const event of ['unhandledRejection', 'uncaughtException'])
  process.on(event, (error) => {
    console.error(error);
    process.kill(process.pid, 'SIGKILL');
  });

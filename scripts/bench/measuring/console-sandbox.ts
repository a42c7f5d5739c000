// A process with a sandbox whose console a browser opens: processes share no main thread, so tasks of the browser are its own.
import { startSandbox } from '../../../sandbox/compose.js';
import { eventLoad } from './event-load.js';

const sandbox = await startSandbox({ seed: 'empty', plugins: [eventLoad()], logLevel: 'error' });
process.send?.({ api: sandbox.api, admin: sandbox.admin, console: sandbox.console?.url });
process.once('disconnect', () => void sandbox.stop().then(() => process.exit()));

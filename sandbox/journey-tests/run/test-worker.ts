import { parentPort, workerData } from 'node:worker_threads';
import { withPlugins } from '../../project-plugins.js';
import { closePlatform, type RunSettings, runFile } from './run-file.js';

// The thread of `TestWorkers`: runs each test file that it receives. It loads plugins once; their language belongs to the thread.
const port = parentPort!;
const settings = workerData as RunSettings;
void withPlugins(settings.plugins, settings.cwd, (additions) => {
  port.on('message', (file: string) => {
    void runFile(file, settings, additions)
      .then((result) => port.postMessage(result))
      // Workers of the platform would keep the thread from ending.
      .finally(closePlatform);
  });
  return new Promise<never>(() => {});
});

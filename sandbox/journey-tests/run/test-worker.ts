import { parentPort, workerData } from 'node:worker_threads';
import { closePlatform, type RunSettings, runFile } from './run-file.js';

// The thread of `TestWorkers`: runs each test file that it receives.
const port = parentPort!;
port.on('message', (file: string) => {
  void runFile(file, workerData as RunSettings)
    .then((result) => port.postMessage(result))
    // Workers of the platform would keep the thread from ending.
    .finally(closePlatform);
});

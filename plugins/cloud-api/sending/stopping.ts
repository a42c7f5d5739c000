import { advice, type PluginContext } from '#core';
import { type GraphError, notificationErrorOf } from '../graph/errors.js';
import { type Connections, stoppedCause } from '../numbers/connections.js';

/** Stops a number after an error of the network that only an operator can solve. Its messages wait until it is resumed. */
export const stopping =
  ({ store, clock }: Pick<PluginContext, 'store' | 'clock'>, connections: Connections) =>
  async (number: string, { code = 0, error }: GraphError): Promise<void> => {
    const { title } = notificationErrorOf(error);
    await store.transaction(async (tx) => {
      if (!(await connections.stop(tx, number, { code, title }))) return;
      tx.emit(advice, {
        name: 'cloud_api_stopped',
        severity: 'critical',
        number,
        cause: stoppedCause(number),
        message: `The network refuses all messages of the number with error ${code} (${title}). Messages wait since ${clock.now().toISOString()}.`,
        fix: `Fix the cause, then PUT /admin/v1/cloud-api/numbers/${number} with a new token, or POST /admin/v1/cloud-api/numbers/${number}/resume.`,
      });
    });
  };

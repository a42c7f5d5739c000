import { advice, type JsonObject, type NumberRecord, type PluginContext, type Transaction } from '#core';

/** Handles the changes of one field; returns false if it does not know the field. */
export type EventHandler = (tx: Transaction, number: NumberRecord, field: string, value: JsonObject) => Promise<boolean> | boolean;

const names: Readonly<Record<string, string>> = {
  errors: 'cloud_api_number_error',
  phone_number_quality_update: 'cloud_api_quality',
  account_update: 'cloud_api_account',
  account_alerts: 'cloud_api_account',
  business_capability_update: 'cloud_api_account',
};
const MAX_CHARACTERS = 500;

/** Issues the events of the number and its account as advice: quality, limits, violations, errors. */
export function accountEvents({ log }: Pick<PluginContext, 'log'>): EventHandler {
  return (tx, number, field, value) => {
    const name = names[field];
    if (name === undefined) {
      log.info('an event of the network has no handler', { number_id: number.uuid, field });
      return false;
    }
    tx.emit(advice, {
      name,
      number: number.uuid,
      message: `The network reports about number '${number.name}' (${field}): ${JSON.stringify(value).slice(0, MAX_CHARACTERS)}`,
      fix: "Look at the number in the network's business manager: quality, messaging limit, payment and policy problems are shown and solved there.",
    });
    return true;
  };
}

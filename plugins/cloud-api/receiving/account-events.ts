import { advice, type JsonObject, type NumberRecord, type PluginContext, type Transaction } from '#core';

/** Handles the changes of one field; returns false if it does not know the field. */
export type EventHandler = (tx: Transaction, number: NumberRecord, field: string, value: JsonObject) => Promise<boolean> | boolean;

/** Fields about the quality of a number; the others are about its account, or errors of the number. */
const QUALITY = new Set(['phone_number_quality_update']);
const FIELDS = new Set([...QUALITY, 'errors', 'account_update', 'account_alerts', 'account_review_update', 'business_capability_update']);
const MAX_CHARACTERS = 500;

/** Issues the events of the number and its account as advice: quality, limits, violations, errors. */
export function accountEvents({ log }: Pick<PluginContext, 'log'>): EventHandler {
  return (tx, number, field, value) => {
    if (!FIELDS.has(field)) {
      log.info('an event of the network has no handler', { number_id: number.uuid, field });
      return false;
    }
    const about = { number: number.uuid, message: messageOf(number, field, value) };
    if (QUALITY.has(field)) {
      tx.emit(advice, {
        name: 'cloud_api_quality',
        ...about,
        fix: 'Send fewer messages that contacts block or report, such as marketing without consent. A low quality lowers the messaging limit.',
      });
    } else {
      tx.emit(advice, {
        name: 'cloud_api_account',
        severity: 'warning',
        ...about,
        fix: "Look at the number and its account in the network's business manager, which shows and solves payment and policy problems.",
      });
    }
    return true;
  };
}

/** A text of the network at a length that fits into advice. */
export const shortened = (text: string): string => (text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text);

const messageOf = ({ name }: NumberRecord, field: string, value: JsonObject): string =>
  `The network reports about number '${name}' (${field}): ${shortened(JSON.stringify(value))}`;

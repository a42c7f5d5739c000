import { useState } from 'preact/hooks';
import type { DeliveryStatus, MessageRecord, NumberRecord } from '#core';
import { type Action, perform } from '../../components/copy.js';
import { Time } from '../../components/time.js';
import { ToolButton } from '../../components/tool-button.js';
import { reasonOf } from '../../data/admin.js';
import { isChannel, isPlayable } from './contact-messages.js';
import { texts } from './dialog-texts.js';
import { platformNow } from './platform-clock.js';

const STATUSES = ['sent', 'delivered', 'read', 'failed'] as const;

/** The status reports of a message so far, and buttons that report the next as the network or the connector does. */
export function StatusReports({ message, number }: { message: MessageRecord; number: NumberRecord }) {
  const [problem, setProblem] = useState<string>();
  const [reason, setReason] = useState(texts.theContactHasLeftThe);
  const { external_id, statuses } = message;
  const actionFor = (status: DeliveryStatus): Action => {
    const timestamp = String(Math.floor(platformNow() / 1_000));
    const error = { code: 131026, title: texts.messageUndeliverable, details: reason, href: 'https://posthorn.invalid/console' };
    const errors = status === 'failed' && { errors: [error] };
    return isChannel(number)
      ? {
          method: 'POST',
          path: `/channels/${number.uuid}/statuses`,
          payload: { status: { id: external_id, recipient_id: message.to, status, timestamp, ...errors } },
        }
      : { method: 'POST', path: `/network/messages/${message.uuid}/statuses`, payload: { statuses: [{ status, timestamp, ...errors }] } };
  };
  const report = async (status: DeliveryStatus): Promise<void> => {
    setProblem(undefined);
    try {
      await perform(actionFor(status));
    } catch (error) {
      setProblem(reasonOf(error));
    }
  };
  return (
    <div class="form">
      <table>
        <caption class="unseen">{texts.reportsInOrderOfArrival}</caption>
        <thead>
          <tr>
            <th scope="col">{texts.status}</th>
            <th scope="col">{texts.time}</th>
            <th scope="col">{texts.errors}</th>
          </tr>
        </thead>
        <tbody>
          {statuses.map(({ status, timestamp, errors = [] }, at) => (
            <tr key={at}>
              <td>{status}</td>
              <td>
                <Time at={new Date(Number(timestamp) * 1_000).toISOString()} />
              </td>
              <td dir="auto">{errors.map(({ code, details }) => `${code} ${details}`).join('; ')}</td>
            </tr>
          ))}
          {statuses.length === 0 && (
            <tr>
              <td colSpan={3}>{texts.noReportYet}</td>
            </tr>
          )}
        </tbody>
      </table>
      {isPlayable(number) && external_id !== undefined && (
        <>
          <fieldset class="field">
            <legend>{texts.reportAStatusAsYour(isChannel(number))}</legend>
            <div class="buttons">
              {STATUSES.map((status) => (
                <ToolButton
                  key={status}
                  label={status}
                  action={actionFor(status)}
                  look={`button ${status === 'failed' ? 'bad' : 'outlined'}`}
                  onClick={() => void report(status)}
                />
              ))}
            </div>
          </fieldset>
          <label class="field">
            <span>{texts.reasonOfAFailure}</span>
            <input class="input" dir="auto" value={reason} onInput={({ currentTarget }) => setReason(currentTarget.value)} />
          </label>
        </>
      )}
      {external_id === undefined && <p class="quiet">{texts.statusesCanBeReportedOnce}</p>}
      {problem !== undefined && (
        <p class="problem" role="alert" dir="auto">
          {problem}
        </p>
      )}
    </div>
  );
}

import { queue, type Transaction } from '#core';

/** Jobs that send the next message of a conversation. */
export const lanes = queue<{ conversation: string }>('cloud-api.lanes', ({ conversation }) => ({
  kind: 'send',
  id: conversation,
  title: `next message of conversation ${conversation}`,
}));

/** Sends the next message of a conversation when it may be sent. */
export const pushLane = (tx: Transaction, conversation: string): void =>
  void tx.push(lanes, { conversation }, { id: conversation, serial: conversation, lane: 'high' });

/** Jobs that fail a message of which neither answer nor status has arrived. */
export const unknownOutcomes = queue<{ message: string; number: string }>('cloud-api.unknown-outcomes', ({ message }) => ({
  kind: 'send',
  id: message,
  title: `end of the wait for a status of message ${message}`,
}));

/** Jobs that mark a contact's message as read at the network. */
export const marks = queue<{ number: string; id: string; typing: boolean; at: string }>('cloud-api.marks');

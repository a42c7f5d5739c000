/** The connector's id of a message in its response, `messages[0].id`: a text, or a number as its digits. */
export const messageIdIn = (body: string): string | undefined => read(body).id;

/** Why a response has no id of a message, as text that follows "but"; undefined if it has one. */
export function idFault({ body, cut }: { readonly body: string; readonly cut: boolean }): string | undefined {
  const { fault } = read(body);
  return fault !== undefined && cut ? 'the response body came too late, is incomplete, or longer than 64 KB' : fault;
}

const NO_ID = 'the response body has no message id in messages[0].id';

function read(body: string): { readonly id?: string; readonly fault?: string } {
  if (body === '') return { fault: 'the response body is empty' };
  let answer: { readonly messages?: readonly ({ readonly id?: unknown } | null)[] } | null;
  try {
    answer = JSON.parse(body);
  } catch {
    return { fault: 'the response body is not JSON' };
  }
  const id = Array.isArray(answer?.messages) ? answer.messages[0]?.id : undefined;
  if (typeof id === 'string' && id !== '') return { id };
  const digits = typeof id === 'number' ? digitsOf(id, body) : undefined;
  return digits === undefined ? { fault: NO_ID } : { id: digits };
}

/** The digits of a number as they are in the JSON: a number in JavaScript cannot hold all digits of a long one. */
function digitsOf(id: number, json: string): string | undefined {
  if (Number.isSafeInteger(id)) return String(id);
  return [...json.matchAll(/"id"\s*:\s*(-?[0-9][0-9.eE+-]*)/g)].map(([, digits]) => digits!).find((digits) => Number(digits) === id);
}

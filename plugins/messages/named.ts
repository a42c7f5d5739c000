import type { MessageRecord, NumberRecord, PluginContext } from '#core';

/** The message that somebody names: by the id of the network or the connector, in either direction, or by ours. */
export async function messageNamed(
  { messages }: Pick<PluginContext, 'messages'>,
  { uuid: number }: NumberRecord,
  id: string,
): Promise<MessageRecord | undefined> {
  const known = (await messages.known(number, 'inbound', id)) ?? (await messages.known(number, 'outbound', id)) ?? (await messages.get(id));
  return known?.number === number ? known : undefined;
}

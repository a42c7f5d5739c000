export const text = { type: 'text', text: { body: 'hello' } };
export const buttons = {
  type: 'interactive',
  interactive: {
    type: 'button',
    header: { type: 'text', text: 'Head' },
    body: { text: 'Which?' },
    footer: { text: 'Foot' },
    action: { buttons: [{ type: 'reply', reply: { id: 'y', title: 'Yes' } }] },
  },
};
export const rows = (count: number) => Array.from({ length: count }, (_, n) => ({ id: `r${n}`, title: `Row ${n}` }));
export const listOf = (sections: object[]) => ({
  type: 'interactive',
  interactive: { type: 'list', body: { text: 'Which?' }, action: { button: 'Choose', sections } },
});
export const flow = {
  type: 'interactive',
  interactive: {
    type: 'flow',
    header: { type: 'text', text: 'Head' },
    body: { text: 'A form' },
    footer: { text: 'Foot' },
    action: {
      name: 'flow',
      parameters: {
        flow_id: '1000001',
        flow_cta: 'Open',
        flow_action: 'navigate',
        flow_action_payload: { screen: 'FIRST' },
        flow_message_version: '3',
        flow_token: 'token-1',
        mode: 'published',
      },
    },
  },
};
export const flowWith = (change: object) => {
  const { action } = flow.interactive;
  return { ...flow, interactive: { ...flow.interactive, action: { ...action, parameters: { ...action.parameters, ...change } } } };
};

/** The next step after an error of the network, by code. The page of the plugin explains all of them. */
const fixes: readonly (readonly [codes: readonly number[], fix: string])[] = [
  [[190, 0], 'Connect the number again with a new token'],
  [[3, 10, 131005], 'Give the system user both rights and the account, then resume the number'],
  [
    [368, 131031, 131048, 131064],
    'Read the account quality page of the business manager, and resume the number when the network permits it',
  ],
  [[131042, 131037], 'Fix the payment or the display name in the business manager, then resume the number'],
  [[33, 131045, 133010], 'Register the number in the portal, then resume it'],
  [[131047, 470], 'Send a template: the contact has not written for 24 hours'],
  [[131026], 'Do not send it again: the contact is not on the network, has an old app, or has not accepted its terms'],
  [[131030], 'Add the contact to the list of the test number, or use a real number'],
  [[130472, 131049, 131050], 'Do not send it again today: the network withholds marketing from this contact'],
  [[131052, 131053], 'Check the type and the size of the file'],
  [[132000, 132012, 132018], 'Compare the parameters with the template in GET /admin/v1/numbers/{uuid}/templates'],
  [[132001, 132015, 132016], 'Look at the template in the business manager'],
  [[132068, 132069], 'Fix the endpoint of the flow'],
  [[130429, 4, 80007, 131056], 'Send fewer messages at a time'],
];

/** The next step after an error of the network. */
export const fixOf = (code: number): string =>
  fixes.find(([codes]) => codes.includes(code))?.[1] ??
  (code >= 200 && code < 300
    ? 'Give the system user both rights and the account, then resume the number'
    : 'Correct what the error names, and send the message again');

import { readFileSync } from 'node:fs';
import t from 'tap';
import { compileNotebook } from '../../plugins/journeys/engine/notebook/notebook.js';
import { seen, Talk } from '../plugins/journeys/engine/journey-under-test.js';

const { container } = compileNotebook(readFileSync('sandbox/demo/library.md', 'utf8'));
const MENU = 'What can I do for you? [Book a visit] [Opening hours] [Leave a message]';

/** Sends the messages one after the other. @returns the replies to each */
function talk(messages: readonly string[], contact = {}): (readonly string[])[] {
  const talk = new Talk({ main: container! });
  return [seen(talk.start({ contact })), ...messages.map((message) => seen(talk.say(message)))];
}

t.test('the demo journey talks in English', async (t) => {
  const said = talk(
    [
      ...[
        'English',
        'R2D2',
        'bo',
        'I want to book',
        'Games room',
        '14:00',
        '9',
        '3',
        'Change it',
        'Story hour',
        '10:00',
        '1',
        'Yes, please',
      ],
      ...['Back to the menu', 'Opening hours', 'Back to the menu', 'Leave a message', 'The lamp is broken', 'That is all'],
    ],
    { language: null, name: null },
  );
  t.strictSame(said, [
    ['Welcome to the Riverside Library! In which language shall we talk?\nDans quelle langue voulez-vous parler ? [English] [Français]'],
    ['What may I call you?'],
    ['A name of up to 40 letters, please.', 'What may I call you?'],
    ['Nice to meet you, Bo!', MENU],
    ['Where would you like to go tomorrow? [Story hour] [Games room] [Reading room] [Town archive]'],
    ['At what time? [10:00] [14:00] [16:00]'],
    ['How many people will come?'],
    ['A number from 1 to 8, please.', 'How many people will come?'],
    ['Games room tomorrow at 14:00 for 3: shall I book that? [Yes, please] [Change it] [No, thanks]'],
    ['Where would you like to go tomorrow? [Story hour] [Games room] [Reading room] [Town archive]'],
    ['At what time? [10:00] [14:00] [16:00]'],
    ['How many people will come?'],
    ['Story hour tomorrow at 10:00 for 1: shall I book that? [Yes, please] [Change it] [No, thanks]'],
    ['Done: Story hour 10:00 (1).', 'Is there anything else? [Back to the menu] [That is all]'],
    [MENU],
    [
      'We are open Monday to Friday from 9:00 to 18:00, and on Saturday from 10:00 to 14:00. Today we close at 18:00.',
      'Is there anything else? [Back to the menu] [That is all]',
    ],
    [MENU],
    ['Write your message. A librarian will read it tomorrow morning.'],
    ['Thank you, Bo.\n> The lamp is broken', 'Is there anything else? [Back to the menu] [That is all]'],
    ['Goodbye, Bo. Write whenever you like.'],
  ]);
});

t.test('the demo journey talks in French with contacts who chose it, and knows them', async (t) => {
  const said = talk(['visite', 'Salle de jeux', '14:00', '2', 'Oui, merci', "C'est tout"], { language: 'fra', name: 'Ada' });
  t.strictSame(said, [
    ['Quel plaisir de vous lire, Ada.', "Que puis-je faire pour vous ? [Réserver une visite] [Heures d'ouverture] [Laisser un message]"],
    ['Où voulez-vous aller demain ? [Heure du conte] [Salle de jeux] [Salle de lecture]'],
    ['À quelle heure ? [10:00] [14:00] [16:00]'],
    ['Combien de personnes viendront ?'],
    ['Salle de jeux demain à 14:00 pour 2 : je réserve ? [Oui, merci] [Modifier] [Non, merci]'],
    ['C’est fait: Salle de jeux 14:00 (2).', "Puis-je faire autre chose ? [Retour au menu] [C'est tout]"],
    ['Au revoir, Ada. Écrivez-nous quand vous voulez.'],
  ]);
});

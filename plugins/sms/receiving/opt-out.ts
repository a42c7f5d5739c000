/** Words with which contacts opt out, in English, German, French, Spanish and Portuguese, as `comparable` writes them. */
const STOP = [
  ...['stop', 'stopall', 'stop all', 'unsubscribe', 'cancel', 'end', 'quit', 'revoke', 'optout', 'opt out'],
  ...['stopp', 'abmelden', 'abbestellen', 'beenden', 'kundigen'],
  ...['arret', 'arreter', 'desabonner', 'desinscription', 'desinscrire'],
  ...['parar', 'alto', 'baja', 'cancelar', 'darse de baja', 'desuscribir'],
  ...['pare', 'sair', 'descadastrar', 'remover'],
];
/** Words with which contacts who have opted out opt in again. */
const START = ['start', 'unstop', 'yes', 'subscribe', 'anmelden', 'ja', 'oui', 'reprendre', 'si', 'alta', 'sim', 'voltar'];

/** Returns a function that tells whether a whole message withdraws or gives the consent of its sender. */
export function createConsent(further: readonly string[]) {
  const stop = new Set([...STOP, ...further.map(comparable)]);
  const start = new Set(START);
  return (text: string): 'stop' | 'start' | undefined => {
    const word = comparable(text);
    return stop.has(word) ? 'stop' : start.has(word) ? 'start' : undefined;
  };
}

/** Case, accents, punctuation and repeated spaces do not matter. */
const comparable = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase();

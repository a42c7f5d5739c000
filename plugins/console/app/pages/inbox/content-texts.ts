import { catalogue } from '../../../../../core/web/language.js';

export const texts = catalogue({
  formCompleted: 'Form completed',
  reacted: (emoji: string) => `Reacted ${emoji}`,
  removedAReaction: 'Removed a reaction',
  location: (value: string) => `Location${value}`,
  contactCard: (value: string) => `Contact card: ${value}`,
  template: (value: string) => `Template ${value}`,
  messageOfType: (type: string) => `Message of type ${type}`,
});

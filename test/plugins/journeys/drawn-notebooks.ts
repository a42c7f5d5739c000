/** The cards of a section: a menu, a list, a question with conditions, a picture and answers, as journeys of a shop have them. */
const section = (n: number, next: string): readonly string[] => [
  `card Menu${n} do
  image("https://shop.test/${n}.png")
  buttons(Order${n}: "Order something", Hours${n}: "Opening hours", Help${n}: "Talk to us") do
    text("Welcome to department ${n} of the shop! What can we do for you today?")
  end
end`,
  `card Order${n}, then: Check${n} do
  age${n} = ask("How old are you? We ask because some of our things are not for children.")
end`,
  `card Hours${n}, then: Menu${n} do
  text("We are open from 9 to 5, on Saturdays until noon.")
end`,
  `card Help${n}, then: Thanks${n} do
  question${n} = ask("Please write your question. We answer tomorrow.")
end`,
  `card Check${n} when age${n} < 18, then: Hours${n} do
  text("Please come with a person who is older.")
end

card Check${n}, then: Pick${n} do
  log("old enough")
end`,
  `card Pick${n} do
  list("Our things", Size${n}: "Shoes", Size${n}: "Shirts", Price${n}: "Books", Price${n}: "Games", Menu${n}: "None of these") do
    text("Choose what you would like to order.")
  end
end`,
  `card Size${n}, then: Price${n} do
  size${n} = ask("Which size do you need?")
end`,
  `card Price${n} do
  buttons(Thanks${n}: "Yes, order it", Pick${n}: "No, go back") do
    text("That is 12 euros with the delivery. Shall we send it?")
  end
end`,
  `card Thanks${n}, then: Rate${n} do
  text("Thank you! We write to you as soon as it is on its way.")
end`,
  `card Rate${n}${next === '' ? '' : `, then: ${next}`} do
  mark${n} = ask("How did you like it, from 1 to 5?")
end`,
];

/** A notebook with this number of cards, in sections of up to ten. */
export function notebookOf(cards: number): string {
  const count = Math.ceil(cards / 10);
  const all = Array.from({ length: count }, (_, i) => section(i + 1, i + 1 < count ? `Menu${i + 2}` : ''));
  const parts = all.map((own, i) => {
    const kept = own.slice(0, cards - 10 * i);
    const has = (name: string): boolean => kept.some((card) => card.startsWith(`card ${name}`));
    // Ways to cards that are left out lead to the menu of the section.
    const text = kept.join('\n\n').replace(NAMES, (name) => (i < count - 1 || has(name) ? name : `Menu${i + 1}`));
    return `# Department ${i + 1}\n\n\`\`\`stack\n${i === 0 ? 'trigger(on: "MESSAGE RECEIVED")\n\n' : ''}${text}\n\`\`\`\n`;
  });
  return parts.join('\n');
}

const NAMES = /\b(Order|Check|Pick|Size|Price|Thanks|Rate|Help|Hours)\d+\b/g;

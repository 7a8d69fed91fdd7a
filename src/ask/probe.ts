/**
 * Sixteen claims that show whether a model can check sentences: half of them hold in other words,
 * half have one false fact.
 */

const passages = [
  `Refunds
A full refund is granted within 30 days of purchase. After that, customers get store credit for the
rest of the year. Shipping costs are not refunded.`,
  `Working hours
The office is open from 9 to 17 on weekdays. On Fridays it closes at 15. Staff may work from home up
to two days a week if their manager agrees.`,
  `Backups
The database is backed up every night. Backups are kept for 90 days and are encrypted. Only members
of the operations team can restore one.`,
  `Plans
The Basic plan has 5 GB of storage and one user. The Team plan has 100 GB and ten users. Support by
telephone is part of the Team plan only.`,
].map((written, at) => {
  const [label = '', ...lines] = written.split('\n');
  return { number: at + 1, label, text: lines.join(' ') };
});

const claim = (passage: number, holds: boolean, text: string) => ({
  passages: [passage],
  holds,
  text,
});

export const probeClaims = {
  passages,
  claims: [
    claim(1, true, 'You get all your money back if you return the purchase within 30 days.'),
    claim(1, false, 'Shipping costs are refunded too.'),
    claim(1, true, 'Once 30 days are over, you receive store credit instead.'),
    claim(1, false, 'After 30 days, customers can still choose a full refund.'),
    claim(2, true, 'The office closes two hours earlier on Fridays.'),
    claim(2, false, 'Staff may work from home two days a week without asking first.'),
    claim(2, true, 'With the consent of the manager, two days of home office a week are possible.'),
    claim(2, false, 'The office is open on weekends from 9 to 17.'),
    claim(3, true, 'A person outside the operations team cannot restore a backup.'),
    claim(3, false, 'All employees can restore a backup.'),
    claim(3, true, 'Copies of the database are made once a day, at night.'),
    claim(3, false, 'Backups are kept for 90 days and are not encrypted.'),
    claim(4, true, 'Ten people can use the Team plan.'),
    claim(4, false, 'The Basic plan has 100 GB of storage.'),
    claim(4, true, 'If you need support by telephone, take the Team plan.'),
    claim(4, false, 'Both plans include support by telephone.'),
  ].map((one, at) => ({ n: at + 1, ...one })),
} as const;

const minRight = 13;
export const canJudge = (right: number) => right >= minRight;

/** Passages as a company's handbook has them, with honest sentences over each: what a careful writer makes of it, one a line. */
import type { Language } from '../../src/language/languages.ts';

export interface HandbookPassage {
  readonly language: Language;
  readonly title: string;
  readonly text: string;
  readonly honest: string;
}

const refunds: HandbookPassage = {
  language: 'en',
  title: 'Refunds',
  text: 'Refunds are paid within 30 days of purchase. Write to billing@acme.example and give the order number. Annual plans are not refunded after renewal. Shipping costs are refunded only if the item arrived damaged. A refund above $500 has to be approved by Maria Lopez. Digital gift cards cannot be returned or exchanged.',
  honest: `
Refunds are paid within 30 days of purchase.
You get a refund within thirty days of purchase.
The refund is paid within 30 days of buying.
After renewal, annual plans are not refunded.
There is no refund for annual plans after renewal.
Digital gift cards can't be exchanged or returned.
Maria Lopez has to approve refunds above $500.
A refund over 500 dollars must be approved by Maria Lopez.
Write to billing@acme.example and include the order number.
Refunds are paid within 30 days of purchase, and refunds above $500 have to be approved by Maria Lopez.`,
};

const plans: HandbookPassage = {
  language: 'en',
  title: 'Plans and prices',
  text: 'The Pro plan has 10 GB of storage and costs $29 per month. The Team plan has 50 GB of storage and costs $99 per month. Enterprise includes single sign-on and a dedicated account manager. Trials last 14 days and do not require a credit card. Prices exclude VAT. You can upgrade at any time; a downgrade takes effect at the end of the billing period.\n\n| Add-on | Price | Storage |\n|---|---|---|\n| Archive | $12 | 200 GB |\n| Analytics | $45 | 20 GB |',
  honest: `
The Pro plan costs $29 per month and has 10 GB of storage.
The Team plan costs $99 a month.
Team has 50GB of storage.
With Pro you get 10 GB of storage, with Team 50 GB.
The monthly price of Pro is $29.
A trial lasts 14 days and needs no credit card.
The trial is 14 days long.
Prices do not include VAT.
A downgrade takes effect at the end of the billing period.
The Archive add-on costs $12.
Analytics comes with 20 GB of storage.`,
};

const support: HandbookPassage = {
  language: 'en',
  title: 'Support hours',
  text: 'Support is open on weekdays from 9 am to 5 pm Central European Time. It is closed on Sundays and public holidays. Critical incidents are answered within two hours, all other requests within one business day. Phone support is available for Enterprise customers only. Before you write to us, check the status page at https://status.acme.example/current.',
  honest: `
Support is open from 9 am to 5 pm on weekdays.
On weekdays, support is available from 9 am to 5 pm Central European Time.
Support is closed on Sundays and on public holidays.
Support is not open on Sundays.
Critical incidents are answered within 2 hours.
Only Enterprise customers get phone support.
Check the status page at https://status.acme.example/current before you write to us.
Other requests are answered within one business day.`,
};

const sla: HandbookPassage = {
  language: 'en',
  title: 'Service level agreement',
  text: 'We guarantee an uptime of 99.9% per calendar month. If uptime falls below 99.9%, customers receive a credit of 10% of the monthly fee. Credits must be requested within 15 days after the end of the month. Planned maintenance is announced at least 48 hours in advance and is excluded from the calculation. The maximum credit is half of the monthly fee.',
  honest: `
The guaranteed uptime is 99.9 percent per calendar month.
Customers receive a credit of 10 % of the monthly fee if uptime falls below 99.9%.
Credits have to be requested within 15 days after the end of the month.
Planned maintenance is announced at least 48 hours before.
Planned maintenance is not included in the calculation.
The maximum credit is 50% of the monthly fee.`,
};

const security: HandbookPassage = {
  language: 'en',
  title: 'Security',
  text: 'All data is encrypted at rest with AES-256. Passwords must have at least 12 characters. Two-factor authentication is required for administrators and optional for members. Sessions expire after 20 minutes of inactivity. Report a vulnerability to security@acme.example. Backups are made daily and are kept for 35 days. Access logs are never shared with third parties.',
  honest: `
Data at rest is encrypted with AES-256.
A password must have at least twelve characters.
Two-factor authentication is required for administrators.
For members, two-factor authentication is optional.
A session expires after 20 minutes of inactivity.
Backups are kept for 35 days and made daily.
Vulnerabilities are reported to security@acme.example.
Access logs are not shared with third parties.`,
};

const leave: HandbookPassage = {
  language: 'en',
  title: 'Leave',
  text: 'Employees receive 25 days of paid leave per year. Up to 5 unused days may be carried over until 31 March. Sick leave of more than three days requires a medical certificate. Parental leave is unpaid after the first 16 weeks. Anna Schmidt approves leave requests; Tom Becker approves expenses. New employees cannot take leave during the first two months.',
  honest: `
Employees get 25 days of paid vacation per year.
Every year, employees receive 25 days of paid leave.
Up to five unused days may be carried over until March 31.
A medical certificate is required for sick leave of more than 3 days.
Leave requests are approved by Anna Schmidt.
Tom Becker approves expenses and Anna Schmidt approves leave requests.
New employees can't take leave in the first two months.
Parental leave is unpaid after the first 16 weeks.`,
};

const api: HandbookPassage = {
  language: 'en',
  title: 'API limits',
  text: 'The API accepts at most 1,000 requests per hour. Requests above the limit are rejected with the status 429. Set `max_retries` to 3 in the configuration. The endpoint /v3/calls returns up to 100 records. Keys are created in the dashboard and expire after 90 days. Uploads larger than 25 MB fail with the message "File too large". Webhooks are retried five times.',
  honest: `
The API accepts up to 1000 requests per hour.
At most 1,000 requests an hour are accepted by the API.
Requests above the limit are rejected with status 429.
Set \`max_retries\` to 3.
In the configuration, max_retries is set to three.
The endpoint /v3/calls returns at most 100 records.
API keys expire after 90 days.
Uploads of more than 25 MB fail with "File too large".
Webhooks are retried 5 times.`,
};

const calls: HandbookPassage = {
  language: 'en',
  title: 'Calls',
  text: 'Call recordings are kept for 90 days and then deleted automatically. Transcripts are stored for one year. Recordings can be downloaded by admins; members cannot download them. Internal calls are not recorded. A call may have up to 50 participants. Recording starts after everyone has agreed.',
  honest: `
Recordings of calls are kept for 90 days.
After 90 days, call recordings are deleted automatically.
Recordings are stored for ninety days, transcripts for a year.
Admins can download recordings.
Members can't download recordings.
Internal calls aren't recorded.
Up to 50 participants may join a call.
The recording starts after everyone has agreed.`,
};

const expenses: HandbookPassage = {
  language: 'en',
  title: 'Expenses',
  text: 'Travel must be booked through the portal before departure. Hotels up to €150 per night are reimbursed. Meals are reimbursed up to €40 per day. Alcohol is not reimbursed. Receipts are required for every expense over €10. Submit expenses by the 5th of the following month. Business class is allowed only on flights longer than six hours.',
  honest: `
Book travel through the portal before departure.
Hotels are reimbursed up to €150 per night.
Meals are reimbursed up to 40 euros a day.
Alcohol isn't reimbursed.
A receipt is required for every expense over €10.
Expenses are submitted by the 5th of the following month.
Business class is only allowed on flights longer than 6 hours.`,
};

const office: HandbookPassage = {
  language: 'en',
  title: 'Office',
  text: 'The office opens at 8 am and closes at 6 pm. Visitors must sign in at the front desk. Parking is free for employees and costs $5 per day for guests. Dogs are allowed on Fridays. The fire drill takes place twice a year, in April and October. Laptops are replaced every three years.',
  honest: `
The office is open from 8 am to 6 pm.
Visitors have to sign in at the front desk.
Parking costs guests $5 per day and is free for employees.
Dogs are permitted on Fridays.
There is a fire drill in April and October.
Laptops get replaced every 3 years.`,
};

const privacy: HandbookPassage = {
  language: 'en',
  title: 'Privacy',
  text: 'Personal data is deleted within 60 days after the account is closed. We do not sell personal data. Data is stored in Frankfurt and Dublin. Customers can export their data at any time in CSV format. Requests are sent to privacy@acme.example. Subprocessors are listed at https://acme.example/subprocessors.',
  honest: `
Personal data is erased within 60 days after the account is closed.
Personal data is not sold.
The data is stored in Frankfurt and Dublin.
Customers can export their data as CSV at any time.
See https://acme.example/subprocessors for the list of subprocessors.`,
};

const release: HandbookPassage = {
  language: 'en',
  title: 'Release notes',
  text: 'Version 4.2 was released on 12 May 2025. It requires Node 22 or later. Support for version 3 ends on 30 June 2026. The installer is not available for Windows 7. Run `acme migrate --dry-run` before the upgrade. The first start is slower than later ones. Uninstalling removes all settings but keeps the data.',
  honest: `
Version 4.2 was released on May 12, 2025.
Version 4.2 requires Node 22 or later.
The support for version 3 ends on 30 June 2026.
There is no installer for Windows 7.
Before the upgrade, run \`acme migrate --dry-run\`.`,
};

const german: HandbookPassage = {
  language: 'de',
  title: 'Urlaub und Erstattung',
  text: 'Erstattungen werden innerhalb von 14 Tagen nach dem Kauf gezahlt. Mitarbeiter haben 28 Tage Urlaub pro Jahr. Der Support ist montags bis freitags von 9 bis 17 Uhr geöffnet. Gutscheine werden nicht erstattet. Der Tarif Basis kostet 9,90 € im Monat, der Tarif Plus kostet 19,90 € im Monat. Eine Krankmeldung ist ab dem dritten Tag erforderlich.',
  honest: `
Erstattungen werden innerhalb von vierzehn Tagen nach dem Kauf gezahlt.
Mitarbeiter haben pro Jahr 28 Tage Urlaub.
Gutscheine werden nicht erstattet.
Der Tarif Plus kostet 19,90 Euro im Monat.
Der Support ist von 9 bis 17 Uhr geöffnet, montags bis freitags.`,
};

const french: HandbookPassage = {
  language: 'fr',
  title: 'Remboursements',
  text: "Les remboursements sont versés sous 30 jours après l'achat. Les cartes cadeaux ne sont pas remboursées. Le support est ouvert du lundi au vendredi de 9 h à 18 h. L'offre Pro coûte 29 € par mois. La facture est envoyée par e-mail à compta@acme.example.",
  honest: `
Les remboursements sont versés sous trente jours après l'achat.
Les cartes cadeaux ne sont pas remboursées.
L'offre Pro coûte 29 euros par mois.
Le support est ouvert de 9 h à 18 h du lundi au vendredi.`,
};

const spanish: HandbookPassage = {
  language: 'es',
  title: 'Devoluciones',
  text: 'Los reembolsos se pagan en un plazo de 30 días después de la compra. Las tarjetas regalo no se reembolsan. El soporte está abierto de lunes a viernes. El plan Pro cuesta 29 euros al mes. Los empleados tienen 22 días de vacaciones al año.',
  honest: `
Los reembolsos se pagan en un plazo de treinta días después de la compra.
Las tarjetas regalo no se reembolsan.
El plan Pro cuesta 29 € al mes.
Los empleados tienen al año 22 días de vacaciones.`,
};

const japanese: HandbookPassage = {
  language: 'ja',
  title: '返金',
  text: '返金は購入から30日以内に行われます。ギフトカードは返金できません。サポートは平日の9時から17時まで営業しています。プロプランの料金は月額2,900円です。録音は90日間保存されます。',
  honest: `
返金は購入から30日以内に行われます。
録音は九十日間保存されます。
ギフトカードは返金できません。
プロプランの料金は月額2900円です。`,
};

const chinese: HandbookPassage = {
  language: 'zh',
  title: '退款',
  text: '退款在购买后30天内支付。礼品卡不能退款。客服在周一至周五9点到18点营业。专业版每月收费199元。通话录音保存90天。',
  honest: `
退款在购买后30天内支付。
礼品卡不能退款。
专业版每月收费199元。
通话录音保存九十天。`,
};

export const handbook = {
  refunds,
  plans,
  support,
  sla,
  security,
  leave,
  api,
  calls,
  expenses,
  office,
  privacy,
  release,
  german,
  french,
  spanish,
  japanese,
  chinese,
} as const;

/**
 * Near-true lies over the handbook: each is a true sentence with one thing changed. A line is `kind: sentence`; a line that begins with
 * `~` is a lie that no rule here can see. `clause`: the passage says so of another part of its sentence, or of the sentence beside it.
 */
import type { handbook } from './handbook.ts';

export const lies: Readonly<Record<keyof typeof handbook, string>> = {
  refunds: `
figure: Refunds are paid within 60 days of purchase.
figure: Refunds are paid within forty days of purchase.
figure: Refunds are paid within a day of purchase.
figure: Refunds are paid within half a day of purchase.
figure: Refunds are paid within a dozen days of purchase.
figure: A refund above $5,000 has to be approved by Maria Lopez.
figure: Refunds are paid within 3 days of purchase.
unit: Refunds are paid within 30 hours of purchase.
unit: Refunds are paid within 30 business days of purchase.
unit: A refund above €500 has to be approved by Maria Lopez.
negation: Refunds are not paid within 30 days of purchase.
negation: Annual plans are refunded after renewal.
negation: Refunds are never paid within 30 days of purchase.
negation: Digital gift cards can be returned or exchanged.
negation: Digital gift cards can be exchanged.
negation: We are unable to pay refunds within 30 days of purchase.
~clause: Refunds are paid within 30 days of purchase except for digital gift cards.
negation: We fail to pay refunds within 30 days of purchase.
email: Write to biling@acme.example and give the order number.
email: Write to refunds@acme.example and give the order number.
opposite: Annual plans are not refunded before renewal.
opposite: A refund below $500 has to be approved by Maria Lopez.
opposite: Shipping costs are always refunded if the item arrived damaged.
~only: Refunds are only paid within 30 days of purchase.
name: A refund above $500 has to be approved by Maria Gomez.
name: A refund above $500 has to be approved by Peter Lopez.
name: A refund above $500 has to be approved by Stripe.
modality: Refunds above $500 have to be rejected by Maria Lopez.
~invented: Refunds are paid within 30 days of purchase and you also get a voucher.
invented: Refunds are paid within 30 days of purchase, and return shipping is free.
invented: Refunds are paid by bank transfer.
object: Monthly plans are not refunded after renewal.
~roles: Maria Lopez has to be approved by a refund above $500.`,
  plans: `
figure: The Pro plan has 100 GB of storage.
figure: The Pro plan costs $39 per month.
figure: The Pro plan has 50 GB of storage and the Team plan has 10 GB.
figure: Pro has 50 GB and Team 10 GB of storage.
figure: The Pro plan costs $99 per month.
figure: The Team plan costs $29 per month.
figure: The Team plan has 10 GB of storage and costs $99 per month.
figure: Trials last 40 days and do not require a credit card.
figure: The Archive add-on costs $45.
figure: Analytics comes with 200 GB of storage.
figure: Archive has 20 GB and costs $12.
unit: The Pro plan has 10 MB of storage.
unit: The Pro plan has 10 TB of storage and costs $29 per month.
unit: The Pro plan costs €29 per month.
unit: The Pro plan costs $29 per year.
unit: The Pro plan costs $29 a week.
unit: Trials last 14 weeks.
negation: Trials last 14 days and require a credit card.
clause: Trials don't last 14 days.
negation: Enterprise does not include single sign-on.
negation: You cannot upgrade at any time.
negation: Enterprise comes without single sign-on.
negation: The Team plan no longer costs $99 per month.
opposite: Prices include VAT.
opposite: A downgrade takes effect at the start of the billing period.
opposite: Enterprise excludes single sign-on.
~opposite: An upgrade takes effect at the end of the billing period.
~name: Pro includes single sign-on.
name: The Business plan costs $99 per month.
~object: Enterprise includes single sign-on and a dedicated server.
~invented: The Team plan costs $99 per month and includes a free phone.
~invented: The Pro plan has 10 GB of storage and unlimited users.`,
  support: `
figure: Support is open on weekdays from 8 am to 5 pm.
figure: Critical incidents are answered within four hours.
figure: Critical incidents are answered within half an hour.
figure: All other requests are answered within two business days.
unit: Support is open on weekdays from 9 pm to 5 am.
unit: Critical incidents are answered within two days.
unit: Critical incidents are answered within two minutes.
unit: All other requests are answered within one business week.
negation: Support is not open on weekdays.
~clause: Support is open on Sundays and public holidays.
negation: It is not closed on Sundays and public holidays.
negation: Phone support is not available for Enterprise customers.
negation: Phone support is unavailable for Enterprise customers.
url: Check the status page at https://status.acme.example/currant before you write to us.
url: Check the status page at https://status.acme.test/current.
url: Check the status page at http://status.acme.example/current.
day: Support is open on Sundays from 9 am to 5 pm.
day: It is closed on Saturdays and public holidays.
day: Support is open on weekends from 9 am to 5 pm.
~opposite: Support is closed on weekdays from 9 am to 5 pm.
opposite: After you write to us, check the status page.
~only: Critical incidents are always answered immediately.
name: Phone support is available for Team customers only.
name: Support is open from 9 am to 5 pm Pacific Time.
object: Critical incidents are answered within one business day.`,
  sla: `
figure: We guarantee an uptime of 99.5% per calendar month.
figure: Customers receive a credit of 20% of the monthly fee.
figure: Credits must be requested within fifty days after the end of the month.
figure: The maximum credit is a quarter of the monthly fee.
figure: The maximum credit is twice the monthly fee.
figure: Planned maintenance is announced at least 15 days in advance.
figure: Customers receive a credit of 99.9% of the monthly fee.
unit: Customers receive a credit of $10 of the monthly fee.
unit: We guarantee an uptime of 99.9% per calendar year.
unit: Planned maintenance is announced at least 48 minutes in advance.
unit: Customers receive a credit of 10% of the yearly fee.
negation: We do not guarantee an uptime of 99.9%.
negation: Credits need not be requested within 15 days after the end of the month.
negation: Planned maintenance is not excluded from the calculation.
opposite: If uptime rises above 99.9%, customers receive a credit of 10% of the monthly fee.
opposite: Planned maintenance is included in the calculation.
opposite: Planned maintenance is announced at most 48 hours in advance.
opposite: The minimum credit is half of the monthly fee.
opposite: Credits must be requested within 15 days before the end of the month.
modality: Credits may be requested within 15 days after the end of the month.`,
  security: `
figure: Passwords must have at least 8 characters.
figure: Sessions expire after 35 minutes of inactivity.
figure: Backups are made daily and are kept for 20 days.
figure: Passwords must have at least twenty characters.
unit: Sessions expire after 20 hours of inactivity.
unit: Backups are made weekly and are kept for 35 days.
unit: Backups are kept for 35 months.
code: All data is encrypted at rest with AES-128.
code: All data is encrypted at rest with RSA-256.
email: Report a vulnerability to security@acme.exampel.
negation: Access logs are shared with third parties.
negation: Data is not encrypted at rest.
negation: All data is unencrypted at rest.
negation: Sessions do not expire after 20 minutes of inactivity.
negation: Two-factor authentication is not required for administrators.
opposite: Passwords must have at most 12 characters.
opposite: Access logs are always shared with third parties.
~opposite: Two-factor authentication is optional for administrators and required for members.
~opposite: Two-factor authentication is optional for administrators.
~opposite: Two-factor authentication is required for members.
opposite: Some data is encrypted at rest.
modality: Passwords may have at least 12 characters.
invented: Backups are made daily and are stored in Canada.`,
  leave: `
figure: Employees receive 28 days of paid leave per year.
figure: Up to 25 unused days may be carried over until 31 March.
figure: Sick leave of more than five days requires a medical certificate.
figure: Up to 5 unused days may be carried over until 13 March.
figure: New employees cannot take leave during the first three months.
figure: Parental leave is unpaid after the first 60 weeks.
unit: Employees receive 25 weeks of paid leave per year.
unit: Employees receive 25 days of paid leave per month.
unit: Parental leave is unpaid after the first 16 days.
day: Up to 5 unused days may be carried over until 31 May.
negation: Unused days may not be carried over until 31 March.
negation: New employees can take leave during the first two months.
negation: Employees receive 25 days of unpaid leave per year.
negation: Parental leave is paid after the first 16 weeks.
opposite: Sick leave of less than three days requires a medical certificate.
opposite: More than 5 unused days may be carried over until 31 March.
opposite: New employees cannot take leave during the last two months.
opposite: Anna Schmidt rejects leave requests.
~name: Tom Becker approves leave requests.
~name: Anna Schmidt approves expenses.
name: Anna Becker approves leave requests.
name: Julia Meyer approves leave requests.
modality: Up to 5 unused days must be carried over until 31 March.
invented: Employees receive 25 days of paid leave per year and a bonus at Christmas.`,
  api: `
figure: The API accepts at most 10,000 requests per hour.
figure: Requests above the limit are rejected with the status 503.
figure: Set \`max_retries\` to 5 in the configuration.
figure: The endpoint /v3/calls returns up to 1,000 records.
figure: Webhooks are retried three times.
figure: Webhooks are retried twice.
figure: Keys expire after 25 days.
unit: The API accepts at most 1,000 requests per minute.
unit: Uploads larger than 25 GB fail with the message "File too large".
unit: Keys are created in the dashboard and expire after 90 minutes.
code: Set \`min_retries\` to 3 in the configuration.
code: Set max_retry to 3 in the configuration.
code: The endpoint /v2/calls returns up to 100 records.
code: The endpoint /v3/users returns up to 100 records.
quotation: Uploads larger than 25 MB fail with the message "File too big".
quotation: Uploads larger than 25 MB fail with "Upload rejected".
negation: The API does not accept 1,000 requests per hour.
negation: Keys do not expire after 90 days.
negation: Webhooks are not retried.
opposite: The API accepts at least 1,000 requests per hour.
opposite: Requests above the limit are accepted with the status 429.
opposite: Requests below the limit are rejected with the status 429.
opposite: Uploads smaller than 25 MB fail with the message "File too large".
object: Keys are deleted in the dashboard and expire after 90 days.`,
  calls: `
figure: Call recordings are kept for 19 days.
figure: Transcripts are stored for 90 days.
figure: Transcripts are stored for two years.
figure: Call recordings are kept for one year.
figure: A call may have up to 500 participants.
unit: Call recordings are kept for 90 hours.
unit: Transcripts are stored for one month.
negation: Call recordings are not kept for 90 days.
negation: Internal calls are recorded.
clause: Members can download recordings.
~clause: Admins cannot download recordings.
opposite: External calls are not recorded.
opposite: A call may have over 50 participants.
opposite: Recording starts before everyone has agreed.
opposite: Call recordings are kept for 90 days and then deleted manually.
opposite: Recordings can be uploaded by admins.
modality: A call must have up to 50 participants.
~invented: Recording starts after the host has agreed.`,
  expenses: `
figure: Hotels up to €250 per night are reimbursed.
figure: Hotels up to €40 per night are reimbursed.
figure: Meals are reimbursed up to €150 per day.
figure: Submit expenses by the 15th of the following month.
figure: Business class is allowed only on flights longer than ten hours.
unit: Meals are reimbursed up to $40 per day.
unit: Meals are reimbursed up to €40 per week.
unit: Business class is allowed only on flights longer than six days.
negation: Alcohol is reimbursed.
negation: Meals are not reimbursed.
negation: Receipts are not required for every expense over €10.
opposite: Travel must be booked through the portal after departure.
opposite: Receipts are required for every expense under €10.
opposite: Receipts are optional for every expense over €10.
opposite: Business class is forbidden on flights longer than six hours.
opposite: Business class is allowed only on flights shorter than six hours.
only: Business class is always allowed on flights longer than six hours.
modality: Travel may be booked through the portal before departure.
object: Submit expenses by the 5th of the previous month.
~object: First class is allowed only on flights longer than six hours.`,
  office: `
figure: The office opens at 6 am and closes at 8 pm.
figure: Parking costs $15 per day for guests.
figure: The fire drill takes place three times a year.
figure: Laptops are replaced every two years.
unit: Parking costs $5 per hour for guests.
unit: The fire drill takes place twice a month.
unit: Laptops are replaced every three months.
day: Dogs are allowed on Mondays.
day: The fire drill takes place in May and October.
negation: Dogs are not allowed on Fridays.
negation: Visitors need not sign in at the front desk.
~opposite: Parking is free for guests and costs $5 per day for employees.
opposite: Dogs are forbidden on Fridays.
opposite: Visitors must sign out at the front desk.
~object: Cats are allowed on Fridays.`,
  privacy: `
figure: Personal data is deleted within 6 days after the account is closed.
unit: Personal data is deleted within 60 hours after the account is closed.
negation: We sell personal data.
negation: Customers cannot export their data at any time.
opposite: Personal data is deleted within 60 days after the account is opened.
opposite: Personal data is deleted within 60 days before the account is closed.
opposite: Customers can import their data at any time in CSV format.
name: Data is stored in Frankfurt and London.
name: Data is stored in Virginia.
name: Customers can export their data at any time in XML format.
email: Requests are sent to privacy@acme.examples.
url: Subprocessors are listed at https://acme.example/subprocessor.
roles: We do not buy personal data.`,
  release: `
figure: Version 4.3 was released on 12 May 2025.
figure: Version 4.2 was released on 12 May 2024.
figure: Version 4.2 was released on 30 June 2026.
figure: It requires Node 20 or later.
figure: Support for version 4.2 ends on 30 June 2026.
day: Version 4.2 was released on 12 March 2025.
code: Run \`acme migrate --force\` before the upgrade.
code: Run \`acme upgrade --dry-run\` before the upgrade.
negation: The installer is available for Windows 7.
opposite: It requires Node 22 or earlier.
opposite: The first start is faster than later ones.
~opposite: Uninstalling keeps all settings but removes the data.
opposite: Run \`acme migrate --dry-run\` after the upgrade.
opposite: The last start is slower than later ones.
~clause: Uninstalling keeps all settings.`,
  german: `
figure: Erstattungen werden innerhalb von 40 Tagen nach dem Kauf gezahlt.
figure: Mitarbeiter haben vierzehn Tage Urlaub pro Jahr.
figure: Der Tarif Basis kostet 19,90 € im Monat.
unit: Erstattungen werden innerhalb von 14 Stunden nach dem Kauf gezahlt.
unit: Der Tarif Basis kostet 9,90 € im Jahr.
day: Der Support ist montags bis samstags von 9 bis 17 Uhr geöffnet.
negation: Gutscheine werden erstattet.
negation: Erstattungen werden nicht innerhalb von 14 Tagen nach dem Kauf gezahlt.
negation: Mitarbeiter haben keinen Urlaub.
opposite: Erstattungen werden innerhalb von 14 Tagen vor dem Kauf gezahlt.
opposite: Der Support ist montags bis freitags von 9 bis 17 Uhr geschlossen.`,
  french: `
figure: Les remboursements sont versés sous 40 jours après l'achat.
figure: L'offre Pro coûte vingt euros par mois.
unit: Les remboursements sont versés sous 30 heures après l'achat.
unit: L'offre Pro coûte 29 € par an.
day: Le support est ouvert du lundi au samedi de 9 h à 18 h.
negation: Les cartes cadeaux sont remboursées.
negation: Les remboursements ne sont pas versés sous 30 jours après l'achat.
opposite: Les remboursements sont versés sous 30 jours avant l'achat.
opposite: Le support est fermé du lundi au vendredi de 9 h à 18 h.
email: La facture est envoyée par e-mail à conta@acme.example.`,
  spanish: `
figure: Los reembolsos se pagan en un plazo de 20 días después de la compra.
figure: Los empleados tienen treinta días de vacaciones al año.
unit: Los reembolsos se pagan en un plazo de 30 horas después de la compra.
unit: El plan Pro cuesta 29 dólares al mes.
day: El soporte está abierto de lunes a sábado.
negation: Las tarjetas regalo se reembolsan.
negation: Los reembolsos no se pagan en un plazo de 30 días después de la compra.
opposite: Los reembolsos se pagan en un plazo de 30 días antes de la compra.
opposite: El soporte está cerrado de lunes a viernes.`,
  japanese: `
figure: 返金は購入から60日以内に行われます。
figure: 録音は三十日間保存されます。
figure: プロプランの料金は月額3,900円です。
unit: 返金は購入から30時間以内に行われます。
unit: 録音は90週間保存されます。
negation: ギフトカードは返金できます。
negation: 返金は購入から30日以内に行われません。
day: サポートは日曜日の9時から17時まで営業しています。
opposite: 返金は購入から30日以降に行われます。`,
  chinese: `
figure: 退款在购买后60天内支付。
figure: 专业版每月收费299元。
unit: 退款在购买后30小时内支付。
unit: 专业版每年收费199元。
negation: 礼品卡能退款。
negation: 退款在购买后30天内不支付。
day: 客服在周一至周日9点到18点营业。
opposite: 退款在购买前30天内支付。`,
};

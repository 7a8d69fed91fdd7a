/**
 * English near-synonyms about money, contracts and orders, one group per line, entries separated by commas.
 * Refuses opposites, wider terms and words that mean this only in a narrow setting.
 */

const prices = `
money back, refund, reimbursement, repay
how much, price, cost, fee, charge, rate
price list, pricing, rate card, fee schedule, price table, tariff
cheap, inexpensive, affordable, low cost, low price
free, free of charge, no cost, at no charge, complimentary, gratis, without charge
discount, reduced price, price reduction, rebate, money off, lower price
coupon, promo code, voucher, discount code, promotional code, coupon code
gift card, gift certificate, gift voucher
special offer, promo, promotional offer
volume discount, bulk discount, bulk pricing, quantity discount
student discount, education discount, academic discount, education pricing
nonprofit, non-profit, charity, not for profit, ngo
tax, vat, gst, sales tax
tax exempt, tax free, exemption from tax, tax exemption
exchange rate, conversion rate, currency conversion
surcharge, extra charge, additional fee, extra cost, extra fee, additional charge
setup fee, installation fee, one-time fee, activation fee, onboarding fee
hourly rate, price per hour, per hour
pay as you go, usage based, metered, pay per use, usage-based billing
quote, quotation, estimate, cost estimate
save money, reduce costs, cut costs, lower the bill
budget, spending limit, spend cap, cost limit
spend, spent, expenditure, outlay
flat rate, flat fee, fixed price, fixed fee`;

const payments = `
pay, paid, payment
bill, invoice
receipt, proof of purchase, proof of payment
statement, account statement, billing statement
payment method, way to pay, billing method, means of payment, card on file
credit card, payment card, card details
bank transfer, wire transfer, ach, sepa transfer
direct debit, automatic payment, autopay, auto pay
instalment plan, payment plan, pay in parts, pay in installments
upfront, in advance, prepaid, prepay, pay ahead, beforehand
deposit, down payment, advance payment
late payment, overdue, past due, outstanding, unpaid, arrears
payment failed, card declined, declined payment, payment rejected, failed payment, payment declined
charged twice, double charge, duplicate charge, billed twice, double billing
overcharge, charged too much, billing error, incorrect charge, wrong charge
unknown charge, unrecognized charge, unexpected charge, unauthorized charge
late fee, late charge, penalty fee, late payment fee
penalty, sanction
chargeback, payment dispute, disputed charge, contested charge
credit, account credit, store credit, service credit
balance, account balance, remaining credit
top up, add funds, add credit, buy credits, reload
payout, disbursement, cash out, pay out
withdraw, take out money
owe, debt, amount due
due date, payment deadline, payable by, payment terms
billing cycle, billing period, invoice period, billing interval
billing address, invoice address, billing details, billing information
billing contact, invoice recipient, accounts payable
purchase order, po number
earnings, income, revenue, proceeds
commission, sales commission, brokerage
donate, contribute money, charitable gift
prorate, pro rata, proportional, partial month
financial, finance, monetary, fiscal
loan, credit line, borrow money, lending
insurance, insurance cover, insurance coverage
investor, shareholder, stockholder
crypto, cryptocurrency, bitcoin, digital currency
fraud, scam, fraudulent, swindle
kyc, know your customer, identity check, identity verification
bribe, bribery, kickback, corruption`;

const plans = `
plan, subscription, package, tier
subscribe, subscription, buy a plan
free trial, trial, trial period, test period, try for free, evaluation period
free plan, free tier, free version, free account, freemium
upgrade, higher plan, bigger plan, move up
downgrade, lower plan, smaller plan, cheaper plan
switch plans, change plan, plan change, change subscription
enterprise, corporate plan, business plan, large company
auto renew, automatic renewal, renews automatically, recurring
renew, extend, prolong
seat, user license, licensed user, user licence
license key, activation key, product key, serial number
add-on, addon, optional extra
included, part of the plan, comes with
pause subscription, suspend subscription, freeze subscription, put on hold
cancel subscription, unsubscribe, stop subscription, end subscription, cancel plan, end my plan`;

const contracts = `
cancel, terminate, call off, end the contract, stop the subscription
cancellation, termination, end of contract, contract termination
cancellation fee, termination fee, early termination, exit fee
notice period, period of notice, advance notice, termination notice
cooling off period, right of withdrawal, withdrawal period, right to cancel
minimum term, contract length, lock-in, minimum period, contract duration
contract, agreement
terms, terms of service, terms and conditions, terms of use, tos
policy, rules, regulations
guideline, guidance, best practice, recommendation
legal, law, legislation, statutory
illegal, unlawful, against the law
lawyer, attorney, counsel, solicitor, legal team
sue, lawsuit, legal action, litigation, court case
dispute, disagreement, conflict
arbitration, mediation, dispute resolution
liability, liable, legally responsible
indemnify, indemnification, indemnity, hold harmless
warranty, guarantee
violate, breach, infringe, break the rules
comply, compliance, conform, adhere, compliant
gdpr, data protection law, privacy regulation, general data protection regulation
required, mandatory, compulsory, obligatory
voluntary, not required
binding, enforceable
electronic signature, e-signature, esign, digital signature, sign electronically
copyright, intellectual property, ip rights
trademark, brand rights
nda, non-disclosure agreement, nondisclosure, confidentiality agreement
confidential, secret, sensitive, proprietary
third party, outside party, external party, external company
subcontractor, subprocessor, sub-processor
sla, service level agreement, uptime guarantee, availability guarantee
dpa, data processing agreement, data processing addendum
amend, change of contract
clause, provision
jurisdiction, governing law, applicable law
audit, inspection
certificate, accreditation, attestation
sole proprietor, freelancer, self-employed, contractor
reseller, distributor, dealer
affiliate program, partner program
referral, refer a friend, invite a friend, referral program
loyalty program, reward points, rewards, bonus points
supplier, vendor
merger, acquisition, takeover
headquarters, head office, main office, hq
subsidiary, branch office, affiliate company`;

const orders = `
buy, bought, purchase, order
sell, sold, sale
client, buyer, shopper
seller, vendor, merchant
shop, store, webshop, online shop
cart, basket, shopping cart, shopping bag
checkout, check out, place an order, complete the purchase
order number, order id, order reference
ship, dispatch, send out
shipping, delivery, deliver
shipping cost, delivery fee, postage, shipping fee, delivery charge
delivery time, shipping time, arrival time, transit time, lead time
track order, order status, track my package, where is my order, tracking number
parcel, package, shipment, packet
courier, carrier, delivery company, postal service, mail carrier
ship abroad, international shipping, overseas delivery, worldwide delivery, ship overseas
express shipping, expedited, rush delivery, fast delivery, next-day delivery
pick up, pickup, collect in store, click and collect
return, send back, give back, bring back
exchange, swap, replace
return label, prepaid label, return slip
damaged, broken, broke, defective, faulty, out of order
lost, missing, not arrived, never arrived, did not arrive
wrong item, incorrect product, wrong product, wrong order
in stock, available, on hand
out of stock, sold out, unavailable, backorder, back-ordered
customs duty, import duty, customs fee, import tax, customs charge
warehouse, depot, fulfillment center, fulfilment centre
product, article, goods, merchandise
size, dimension
unopened, original packaging, sealed, unused condition
catalog, catalogue, product range, assortment
preorder, pre-order, order in advance
reserve, book, make a reservation
reschedule, rebook, postpone, change the date, move the appointment
appointment, time slot
no-show, missed appointment
waiting list, waitlist
quantity, number of items, how many
wholesale, bulk order, large order
manufacturer, maker
spare part, replacement part`;

export const englishBusiness: string = [prices, payments, plans, contracts, orders].join('');

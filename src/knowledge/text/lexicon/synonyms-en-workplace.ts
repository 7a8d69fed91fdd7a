/**
 * English near-synonyms about employment and the office, one group per line, entries separated by commas.
 * Refuses opposites, wider terms and words that mean this only in a narrow setting.
 */

const leave = `
time off, leave, vacation, holiday, pto, annual leave, paid time off, days off
public holiday, bank holiday, national holiday, statutory holiday
sick leave, sick day, sick pay, medical leave, illness, sickness
doctor, sick, illness, medical, unwell, physician
medical certificate, sick note, fit note, note from a doctor
maternity leave, pregnancy, pregnant, having a baby, expecting a baby, maternity
parental leave, paternity leave, baby, newborn, new parent, family leave, maternity leave
childcare, day care, daycare, nursery, kindergarten
child, children, kid
bereavement, death in the family, funeral, compassionate leave, bereavement leave
jury duty, court service, civic duty
sabbatical, career break, extended leave, long leave
unpaid leave, leave without pay, leave of absence
absence, absent, away from work, out of office, ooo
carry over, roll over, carryover, rollover, transfer unused days
unused, left over, remaining, leftover
accrue, accrual, build up, accumulate
entitlement, eligible, have a right to
holiday request, leave request, request time off, vacation request, ask for leave
wedding, marriage, marry
volunteer, charity work
injury, accident, hurt, injured
prescription, medication, medicine, drug`;

const pay = `
salary, pay, wage, compensation, remuneration, paycheck
pay slip, payslip, salary statement, pay stub, wage slip
payday, pay date, when am i paid, pay day, payroll date
payroll, salary run, salary payment
raise, pay rise, salary increase, pay increase, salary review
bonus, incentive, performance pay
overtime, extra hours, additional hours, time in lieu, comp time
stock options, equity, esop, employee shares, rsu
pension, retirement plan, retirement, 401k, superannuation
severance pay, redundancy pay, severance package, termination pay
salary band, pay grade, pay scale, salary range
deduction, withholding, deduct
stipend, subsidy, cash allowance`;

const expenses = `
expense, expenditure, business cost
expense report, expense claim, reimbursement request, submit expenses, claim expenses
get reimbursed, reimbursement, claim back, pay me back, paid back
business trip, travel, business travel, work trip
flight, plane, air travel, airfare, fly
hotel, accommodation, lodging, overnight stay
train ticket, rail travel, railway, train travel
taxi, cab, uber, ride share, rideshare
rental car, car hire, rent a car, hire car
mileage, kilometre allowance, drive my own car, private car, mileage allowance
commute, travel to work, way to work
meal, food, lunch, dinner, breakfast
parking, park my car, car park, parking space, parking lot
company card, corporate card, corporate credit card, business card
spending approval, sign-off, approval
visa, work permit, entry permit, residence permit
passport, travel document, identity card, id card
relocate, moving house, move abroad
per diem, daily allowance, meal allowance, subsistence
vehicle, car, automobile`;

const equipment = `
laptop, computer, notebook, macbook, pc, device
equipment, device, hardware, gear
computer screen, external monitor, second screen, extra monitor
headset, headphones, earphones, earbuds
mobile phone, smartphone, cell phone, cellphone, handset
home office, work from home, remote work, wfh, telework, working remotely, telecommute
hybrid work, office days, days in the office
work abroad, remote from another country, work from another country, workation
workplace, office, work site, premises
key card, access badge, keycard, badge, access card
it support, help desk, helpdesk, service desk, it department
own device, byod, personal device, private device
wifi, wi-fi, wlan, wireless network, wireless
internet, broadband, internet connection
company property, company equipment
visitor, guest
meeting room, conference room
canteen, cafeteria, kitchen
dress code, clothing, what to wear, attire
pet, dog, bring my dog
smoke, cigarette, vaping
alcohol, drinking, drunk, beer`;

const people = `
employee, staff, worker, staff member, personnel, workforce
coworker, colleague, teammate, team member
boss, manager, supervisor, line manager
team lead, team leader, head of team
leadership, senior management, leadership team, upper management
ceo, chief executive, managing director
hr, human resources, people team, people operations, personnel department
job title, position, job role, occupation
new hire, new employee, new starter, joiner, new joiner
onboarding, first day, induction, getting started at work
quit, resign, leave the company, hand in notice, offboarding
get fired, dismissal, lay off, let go, layoff, redundancy, laid off
probation, probationary period
internship, trainee, apprentice
hire, recruit
job opening, vacancy, open position, open role, job posting
candidate, job applicant, job seeker
apply for a job, job application
interview, job interview, interview process
resume, cv, curriculum vitae
reference check, background check, employment reference, screening
job offer, offer letter, employment offer
employment contract, work contract, labour contract, employment agreement
part time, reduced hours, fewer hours
working hours, office hours, work time, business hours
flexible hours, flextime, flexitime, flexible working
lunch break, rest period, work break
shift, rota, roster, work schedule
on-call, standby
timesheet, time tracking, record hours, log hours, clock in
performance review, appraisal, annual review, performance evaluation
career step, career advancement, get promoted, job promotion
career path, professional growth, career growth
training, course, learning, education, professional development
training budget, learning budget, education budget
mentor, coach
workload, too much work, overworked
burnout, stress, mental health, wellbeing, well-being
gym, sport, fitness class
health insurance, medical insurance, healthcare, health cover, medical plan
dental, dentist, teeth
glasses, optician, eye test
benefit, perk, fringe benefit
team event, offsite, company party, team building, retreat
cover for me, stand in, substitute, deputy, backfill
hand over, handover, handoff
organisation chart, org chart, organizational structure, reporting line`;

const conduct = `
code of conduct, behaviour rules, ethics policy, ethical standards, business ethics
behaviour, behavior, behave, conduct
harass, bullying, mobbing, intimidation
discriminate, unequal treatment, bias
sexual harassment, unwanted advances, inappropriate touching
whistleblower, report misconduct, speak up, report wrongdoing
misconduct, wrongdoing, bad behavior, misbehavior
complaint, grievance, complain
disciplinary, discipline, warning letter, formal warning
conflict of interest, personal interest, side job, secondary employment, side business
accept gifts, gifts and hospitality, gift from a supplier, client gift
diversity, equal opportunity, dei
handicap, impairment, disabled person, people with disabilities
a11y, barrier-free, accessibility standards, disabled access
retaliate, reprisal, victimisation
insider trading, inside information
social media, social network
journalist, media inquiry, press inquiry, press contact
health and safety, occupational safety, workplace safety
fire alarm, evacuation, emergency exit
first aid, medical emergency
clean desk, clear desk
union, works council, labor union, trade union
gender, sex
religion, religious belief
ethnicity, ethnic origin, skin color
minimum age, age limit, how old, age requirement, years old`;

export const englishWorkplace: string = [leave, pay, expenses, equipment, people, conduct].join('');

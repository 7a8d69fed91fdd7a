export const it = {
  'stop-words': `
// Words that say how something is asked, not what about; without apostrophes.
a, abbia, abbiamo, abbiano, ad, adesso, agli, ai, al, alcun, alcuna, alcune, alcuni, alcuno, all, alla, alle, allo, allora, altra, altre
altri, altro, anche, ancora, anzi, appena, avere, aveva, avevano, avevo, avete, avrebbe, avrei, avrò, avuto, basta, bene, c, che, chi
chiunque, ci, ciascuno, ciò, cioè, circa, coi, col, come, comunque, con, contro, cosa, cosi, così, cui, d, da, dagli, dal, dall, dalla
dalle, dallo, davanti, degli, dei, del, dell, della, delle, dello, dentro, deve, devi, devo, devono, di, dobbiamo, dopo, dov, dove
dovrebbe, dovrei, dovuto, dunque, durante, e, è, ecco, ed, egli, ella, entro, era, erano, eri, ero, essa, esse, essere, essi, esso, fa
faccio, fai, fanno, far, fare, fatto, fin, fino, forse, fra, fu, fuori, già, gli, ha, hai, hanno, ho, i, il, in, infatti, insieme
intanto, invece, io, l, la, là, le, lei, li, lì, lo, loro, lui, m, ma, magari, mai, me, meglio, meno, mentre, mi, mia, mie, miei, mio
molta, molte, molti, molto, ne, né, negli, nei, nel, nell, nella, nelle, nello, neppure, nessun, nessuna, nessuno, niente, noi, non
nostra, nostre, nostri, nostro, nulla, o, od, ogni, ognuno, oltre, oppure, ora, per, perché, perciò, però, più, po, poca, poche, pochi
poco, poi, possa, possiamo, posso, possono, potere, potrebbe, potrei, può, puoi, pure, qual, quale, quali, qualche, qualcosa, qualcuno
qualsiasi, qualunque, quand, quando, quanta, quante, quanti, quanto, quasi, quel, quella, quelle, quelli, quello, questa, queste, questi
questo, qui, quindi, sarà, sarebbe, saranno, se, sé, secondo, sei, sembra, sempre, senza, si, sì, sia, siamo, siano, siete, sono, sopra
sotto, sta, stai, stanno, stata, state, stati, stato, stesso, stessa, sto, su, sua, sue, sugli, sui, sul, sull, sulla, sulle, sullo, suo
suoi, tal, tale, tali, tanto, te, ti, tra, tramite, troppo, tu, tua, tue, tuo, tuoi, tutta, tutte, tutti, tutto, un, una, uno, va, vai
vanno, ve, verso, vi, via, voglio, vogliamo, voi, volere, vorrebbe, vorrei, vostra, vostre, vostri, vostro, vuoi, vuole, buonasera
buongiorno, ciao, grazie, prego, salve, scusa, scusate, scusi, favore, piacere, ok, okay, hey, ehi, dai, saluti, bisogno, dica, dimmi
dire, domanda, domande, sa, sai, sapere, sapete, sapresti, so, spiega, spiegami, spiegare, serve, servono, davvero, proprio
`,
  negations: `
non, mai, senza, nessun, nessuno, nessuna, niente, eccetto, tranne, ne
`,
  affirmations: '',
  opposites: '',
  joints: `
e, ma, o, mentre, se
`,
  discourse: '',
  numbers: `
2: due, doppio; 3: tre; 4: quattro; 5: cinque; 6: sei; 7: sette; 8: otto; 9: nove; 10: dieci; 12: dodici; 14: quattordici; 15: quindici
20: venti; 30: trenta; 40: quaranta; 50: cinquanta; 60: sessanta; 90: novanta; 100: cento; 1000: mille
`,
  measures: `
s: secondi; minute: minuto, minuti; hour: ora, ore; day: giorno, giorni, giornaliero; week: settimana, settimane, settimanale
month: mese, mesi, mensile, mensili; year: anno, anni, annuale, annuali; business?: lavorativo, lavorativi; business: feriali
€: euro; $: dollaro, dollari
monday: lunedi; tuesday: martedi; wednesday: mercoledi; thursday: giovedi; friday: venerdi; saturday: sabato; sunday: domenica
`,
  synonyms: `
// Words and short phrases that may stand for one another: no opposites, no wider terms.
rimborso, rimborsare, soldi indietro, restituzione del denaro
prezzo, costo, tariffa, quanto costa
gratuito, gratis, senza costi
sconto, riduzione, promozione
codice sconto, codice promozionale, coupon, buono sconto
pagare, pagamento, saldare
fattura, fatturazione
ricevuta, scontrino, prova d'acquisto
metodo di pagamento, modalità di pagamento
bonifico, bonifico bancario
addebito, addebito diretto, addebito automatico
imposta, iva, tassa
abbonamento, piano, sottoscrizione
prova gratuita, periodo di prova
rinnovo, rinnovare, rinnovo automatico
disdire, disdetta, annullare, cancellare, recedere
preavviso, periodo di preavviso
recesso, diritto di recesso
contratto, accordo
termini e condizioni, condizioni d'uso, termini di servizio
obbligatorio, richiesto, necessario
vietato, proibito, non consentito
permettere, consentire, autorizzare, permesso
spedizione, consegna, spedire, consegnare
reso, restituzione, restituire, rendere
difettoso, rotto, danneggiato, guasto
pacco, collo
ferie, vacanze, giorni liberi
malattia, malato, congedo per malattia
stipendio, salario, retribuzione
busta paga, cedolino
spese, nota spese, rimborso spese
lavoro da casa, smart working, lavoro da remoto, telelavoro
dipendente, impiegato, lavoratore, personale
capo, responsabile, superiore
dimissioni, dimettersi, lasciare l'azienda
accedere, accesso, login, entrare
uscire, logout, disconnettersi
iscriversi, registrarsi, registrazione, creare un account
eliminare, cancellare, rimuovere
modificare, cambiare, modifica
disattivare, spegnere, disabilitare
attivare, accendere, abilitare
riservatezza, privacy, protezione dei dati, gdpr
dati personali, informazioni personali
conservazione, conservare, periodo di conservazione
backup, copia di sicurezza
impostazioni, configurazione, opzioni, preferenze
chiamata, telefonata, chiamare, telefonare
scaricare, download
errore, guasto, problema, malfunzionamento
assistenza, supporto, servizio clienti
contattare, mettersi in contatto
scadenza, termine ultimo, data limite
annuale, all'anno, ogni anno, annuo
mensile, al mese, ogni mese
limite, tetto, massimo
`,
  'compound-parts': '',
};

export const itTalk = {
  'small-talk': `
// What people say to an assistant when they ask the documents nothing: words in order, 'a/b' one of several, '?' after what may be missing.
// No word that a question about a product could be made of.
beside: e, ma, allora, anche, ancora, molto, davvero, tutti, ragazzi, oggi, signore, signora, a tutti/voi, per tutto/adesso/ora/oggi/favore, per il/la tuo/tua/suo/sua/vostro/vostra? aiuto/risposta/tempo/spiegazione/supporto, per laiuto
greeting: ciao, salve, buongiorno, buonasera, buondì, benvenuto, benvenuta, ehi, ehilà, buon/buona giorno/sera/giornata/pomeriggio, come stai/sta/state/va oggi/tutto?, tutto bene/ok, tutto a posto, e tu/lei/te, piacere di? conoscerti?, altrettanto, anche a? te/io
thanks: grazie mille/tante/infinite/ancora?, grazie a te/lei/voi/tutti, grazie di cuore/tutto, grazie in anticipo, molte/mille/tante grazie, ti/vi/la ringrazio molto/tanto?, perfetto, ottimo, eccellente, fantastico, brava, bravissimo, benissimo, bene, bello, grande, geniale, meraviglioso, stupendo, molto/davvero bene/utile/gentile/chiaro, buona/ottima/ottimo/buon lavoro/risposta/idea/spiegazione, è/era/sei molto/tutto/stato? utile/perfetto/chiaro/giusto/gentile/fantastico, mi hai/ha aiutato molto?, complimenti, sì, si, certo, esatto, capito, daccordo, giusto, vero, certamente, ovviamente, ho capito, va bene/benissimo, non cè problema/di di? che?, nessun problema, non importa, non fa niente/nulla, di niente/nulla, prego, figurati, si figuri, con piacere, scusa, scusi, scusate, mi dispiace, un momento/attimo/secondo/minuto, capisco
bye: arrivederci, arrivederla, addio, a presto/dopo/domani, a più tardi, ci vediamo/sentiamo presto/dopo/domani?, alla prossima, buonanotte, buona notte/serata, buon weekend/lavoro, buon fine settimana, stammi bene, è tutto, nientaltro
help: aiuto, aiutami, chi/cosa/che sei/siete tu/voi?, chi è lei, come ti/si chiami/chiama, qual è il tuo/suo nome, sei/è un/una? vero/vera? robot/bot/umano/ia/macchina/persona/chatbot, che? cosa puoi/sai/può/sa fare per? me?, come puoi/può aiutarmi, come mi puoi/può aiutare, puoi/può/potresti/potrebbe aiutarmi/aiutarci, mi puoi/può/potresti/potrebbe aiutare, cosa posso chiederti/chiedere, ho bisogno di aiuto, ho bisogno daiuto, ho/avrei una/unaltra piccola/altra? domanda, una domanda veloce?, posso farti/farle/fare una domanda, posso chiederti/chiederle/chiedere qualcosa, quali argomenti conosci/conosce, cè qualcuno qui/lì?
`,
  'person-request': `
// See the English list.
beside: in carne e ossa, per favore/piacere/cortesia, adesso, ora, subito, direttamente, di persona, al telefono, non con? un/una? robot/bot/macchina/chatbot, invece di/che un/una/con? robot/bot/macchina, del/della/dello vostro? team/assistenza/servizio/staff
want: io? voglio/vorrei/desidero/devo/preferirei/preferisco/chiedo di?, mi piacerebbe, posso/potrei/possiamo, si può, mi può/puoi/potete/potrebbe/potreste/potresti, può/puoi/potete/potrebbe, ho bisogno di?, è possibile, cè modo di, vogliamo/vorremmo, mi serve, fatemi/fammi/mi faccia
contact: parlare, chattare, comunicare, discutere, conversare, essere messo/messa in contatto, mettermi/mettimi/mettetemi/mettere in contatto, mi metta in contatto, passarmi, passami, passatemi, mi passi, passare, trasferirmi, trasferiscimi, trasferire, contattare, essere trasferito/ricontattato, collegarmi
near: con, a, ad, da, di, un, una, uno, il, la, lo, vero, vera, altro, altra, vostro, alla, al, del, della, dello
person: operatore, operatrice, umano, umana, persona, essere umano, addetto, addetta, consulente, agente, dipendente, responsabile, rappresentante, impiegato, collega, unoperatrice, unaddetta, unaltra persona, operatore/persona/qualcuno umano/umana/reale/vero/vera, qualcuno, servizio/assistenza clienti, lassistenza clienti?, dellassistenza
whole: operatore/umano/persona per favore/piacere, persona reale/vera, operatore umano, può/potrebbe qualcuno richiamarmi/chiamarmi, mi richiami/richiamate, richiamatemi
about: riguardo, per quanto/il/la/un/una/mio/mia, su, sul, sulla, perché, che possa/sappia/mi, in merito
`,
  suggestions: `
// See the English list.
topic: Che cosa devo sapere su «{}»?; steps: Come posso {}?
asking: come, quanto, quanta, quanti, quante, quando, dove, che cos'è, che cos’è, cos'è, cos’è, cosa fare, cosa succede, perché, chi può, qual è, quali sono, posso, si può, è possibile
verbs: impostare, registrare, regolare, aggiungere, aggiornare, acquistare, annullare, aprire, attivare, cambiare, cancellare, caricare, condividere, configurare, contattare, creare, disattivare, disdire, eliminare, esportare, gestire, importare, installare, invitare, inviare, modificare, ordinare, ottenere, pagare, proteggere, registrare, reimpostare, restituire, richiedere, rinnovare, ripristinare, scaricare, segnalare, stampare, trasferire, usare, verificare
generic: panoramica, introduzione, indice, sommario, contenuti, conclusione, conclusioni, premessa, allegato, allegati, riferimenti, vedi anche, note, nota, esempi, esempio, faq, domande frequenti, primi passi, guida rapida, prossimi passi, generalità, varie, altro, dettagli, contatti, note legali, link, glossario, definizioni, scopo, requisiti, installazione, configurazione, utilizzo, opzioni, parametri, licenza, home, descrizione, funzionalità, collegamenti esterni
clause: come, quando, quanto, dove, chi, che, cosa, perché, io, noi, nostro, nostra, nostri, nostre, mio, mia, miei, tu, tuo, tua, lei, lui, loro, questo, questa, questi, queste, è, sono, era, sarà, può, possono, deve, devono, non, se, qui, passo, parte, capitolo, sezione, figura, tabella, fase, lezione, versione, consiglio, consigli, esempio, sig, sig.ra, dott, gentile, ciao, nuovo, interno, riservato, bozza
pointing: esso, essa, questo, questa, questi, queste, quello, quella, qui, lì, noi, lo, ci
`,
};

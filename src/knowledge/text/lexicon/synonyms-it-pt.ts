/**
 * Near-synonyms of policies and product help in Italian and Portuguese, one group per line, entries separated by commas, lower case.
 * Refuses opposites, wider terms and function words.
 */

const italian = `
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
limite, tetto, massimo`;

const portuguese = `
reembolso, reembolsar, dinheiro de volta, estorno
preço, custo, tarifa, quanto custa, valor
grátis, gratuito, sem custo
desconto, promoção, abatimento
cupom, código promocional, código de desconto, cupão
pagar, pagamento, quitar
fatura, nota fiscal, cobrança
recibo, comprovante, comprovativo
forma de pagamento, método de pagamento, meio de pagamento
transferência, transferência bancária
débito automático, débito direto
imposto, taxa, iva
assinatura, plano, subscrição
teste grátis, período de teste, avaliação gratuita
renovar, renovação
cancelar, cancelamento, rescindir, encerrar
aviso prévio, prazo de aviso
direito de arrependimento, direito de livre resolução
contrato, acordo
termos e condições, termos de uso, condições de serviço
obrigatório, exigido, necessário
proibido, não permitido, vedado
permitir, autorizar, permissão, autorização
envio, entrega, enviar, entregar, frete
devolução, devolver, retornar
defeituoso, quebrado, danificado, avariado
pacote, encomenda
férias, dias de folga, folga
doença, doente, licença médica, atestado, baixa médica
salário, ordenado, remuneração
holerite, contracheque, recibo de vencimento
despesas, gastos, ajudas de custo
trabalho remoto, home office, teletrabalho, trabalhar de casa
funcionário, empregado, colaborador, trabalhador
chefe, gestor, gerente, supervisor
demissão, demitir-se, pedir demissão, sair da empresa
entrar, fazer login, iniciar sessão, acessar
sair, encerrar sessão, terminar sessão, logout
senha, palavra-passe
cadastrar, registrar, criar uma conta, cadastro, registo
excluir, apagar, eliminar, remover
alterar, mudar, modificar, editar
desativar, desligar, desabilitar
ativar, ligar, habilitar
privacidade, proteção de dados, lgpd, rgpd
dados pessoais, informações pessoais
retenção, conservar, armazenar, guardar
backup, cópia de segurança
configuração, ajustes, opções, definições
chamada, ligação, telefonema
baixar, descarregar, download
arquivo, ficheiro, documento
erro, falha, problema, defeito
suporte, atendimento, apoio ao cliente, atendimento ao cliente
contatar, entrar em contato, falar com, contactar
prazo, data limite, vencimento
anual, por ano, cada ano
mensal, por mês, cada mês
limite, teto, máximo, cota`;

export const italianSynonyms: string = italian.trim();
export const portugueseSynonyms: string = portuguese.trim();

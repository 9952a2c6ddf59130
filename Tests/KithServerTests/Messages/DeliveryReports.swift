import Foundation

/// Reports about undelivered emails as mail servers write them, to a recipient of their own.
enum DeliveryReports {
    /// A report in the manner of Postfix.
    static func postfix(to recipient: String, status: String = "5.1.1", action: String = "failed") -> String {
        """
        Return-Path: <>
        Date: Tue, 24 Nov 2026 10:00:00 +0000 (UTC)
        From: MAILER-DAEMON@mail.example.com (Mail Delivery System)
        Subject: Undelivered Mail Returned to Sender
        To: \(recipient)
        Auto-Submitted: auto-replied
        MIME-Version: 1.0
        Content-Type: multipart/report; report-type=delivery-status;
        \tboundary="5B1F0.1795514400/mail.example.com"

        This is a MIME-encapsulated message.

        --5B1F0.1795514400/mail.example.com
        Content-Description: Notification
        Content-Type: text/plain; charset=us-ascii

        I'm sorry to have to inform you that your message could not be delivered.

        --5B1F0.1795514400/mail.example.com
        Content-Description: Delivery report
        Content-Type: message/delivery-status

        Reporting-MTA: dns; mail.example.com
        X-Postfix-Queue-ID: 5B1F0
        X-Postfix-Sender: rfc822; \(recipient)
        Arrival-Date: Tue, 24 Nov 2026 09:59:58 +0000 (UTC)

        Final-Recipient: rfc822; gone@example.net
        Original-Recipient: rfc822;gone@example.net
        Action: \(action)
        Status: \(status)
        Remote-MTA: dns; mx.example.net
        Diagnostic-Code: smtp; 550 5.1.1 <gone@example.net>: Recipient address
            rejected: User unknown

        --5B1F0.1795514400/mail.example.com
        Content-Description: Undelivered Message Headers
        Content-Type: text/rfc822-headers

        Subject: Ben invites you to Kith
        Status: 5.9.9

        --5B1F0.1795514400/mail.example.com--
        """
    }

    /// A report in the manner of an appliance that puts it into another part, with names in lower case and a comment.
    static func nested(to recipient: String) -> String {
        """
        To: \(recipient)
        Content-type: MULTIPART/MIXED; BOUNDARY=outer

        --outer
        content-type: multipart/report; report-type=delivery-status; boundary="in.ner/1"

        --in.ner/1
        content-type: text/plain; charset="utf-8"

        The following message was undeliverable.
        --in.ner/1
        content-type: message/delivery-status

        Reporting-MTA: dns; appliance.example.net

        Final-Recipient: rfc822;gone@example.net
        Action: failed
        Status: 5.0.0 (permanent failure)
        Diagnostic-Code: smtp; 5.3.0 - Other mail system problem 550-'No such mailbox' (delivery attempts: 0)

        --in.ner/1--
        --outer--
        """
    }

    /// A report in the manner of a large host: several lines of words, no empty line before the recipient, no end.
    static func unfinished(to recipient: String) -> String {
        """
        Delivered-To: \(recipient)
        From: postmaster@example.net
        Content-Type: multipart/report; boundary="000000000000a1"; report-type=delivery-status

        --000000000000a1
        Content-Type: message/delivery-status

        Reporting-MTA: dns; googlemail.example
        Final-Recipient: rfc822; gone@example.net
        Action: failed
        Status: 5.2.1
        Diagnostic-Code: smtp; 550-5.2.1 The email account that you tried to reach is inactive.
         550 5.2.1 Learn more at https://example.net/help
        """
    }

    /// A report about an address that is not in ASCII (RFC 6533), without words of the last server.
    static func global(to recipient: String) -> String {
        """
        To: <\(recipient)>
        Content-Type: multipart/report; report-type=global-delivery-status; boundary=b

        --b
        Content-Type: message/global-delivery-status

        Reporting-MTA: dns; mail.example.net

        Final-Recipient: utf-8; jörg@example.net
        Action: failed (bounced)
        Status: 5.1.10
        --b--
        """
    }
}
